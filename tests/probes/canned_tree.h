// A file system root with canned /proc and /sys files, removed at the end.
#pragma once
#include <filesystem>
#include <fstream>
#include <string>

#include "probes/temp_folder.h"

namespace sluice::probes {

class CannedTree {
 public:
  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void Remove(const std::string& path) const { std::filesystem::remove_all(root() + path); }
  [[nodiscard]] const std::string& root() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

}  // namespace sluice::probes

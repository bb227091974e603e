// CannedRoot: a root of a file system whose few files are an input's text:
//
//   === proc/100/stat
//   100 (python3) S 1 ...
//
// Folders are fixed and made once; a file whose folder is none of them is left out, so that nothing outside
// of the root can be touched. In memory, removed at the end. One thread.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/check.h"

namespace sluice::fuzz {

class CannedRoot {
 public:
  explicit CannedRoot(std::vector<std::string> folders) : folders_(std::move(folders)) {
    std::string name = "/dev/shm/sluice-fuzz-XXXXXX";
    SLUICE_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
    for (const std::string& folder : folders_) std::filesystem::create_directories(path_ + "/" + folder);
  }
  ~CannedRoot() { std::filesystem::remove_all(path_); }
  CannedRoot(const CannedRoot&) = delete;
  CannedRoot& operator=(const CannedRoot&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  // Replaces all files.
  void Fill(std::string_view text) {
    for (const std::string& file : files_) unlink(file.c_str());
    files_.clear();
    while (!text.empty() && files_.size() < kMostFiles) {
      const std::size_t begin = text.find(kBorder);
      if (begin == text.npos) return;
      text.remove_prefix(begin + kBorder.size());
      const std::size_t line = std::min(text.find('\n'), text.size());
      const std::string name(text.substr(0, line));
      text.remove_prefix(std::min(line + 1, text.size()));
      Put(name, text.substr(0, text.find(kBorder)));
    }
  }

  void Put(const std::string& name, std::string_view text, int mode = 0600) {
    const std::size_t slash = name.rfind('/');
    if (slash == name.npos || !IsPlain(std::string_view(name).substr(slash + 1))) return;
    if (std::ranges::find(folders_, name.substr(0, slash)) == folders_.end()) return;
    const std::string file = path_ + "/" + name;
    const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0) return;  // a folder has this name
    SLUICE_CHECK(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(fd);
    files_.push_back(file);
  }

 private:
  static constexpr std::string_view kBorder = "=== ";
  static constexpr std::size_t kMostFiles = 64;

  static bool IsPlain(std::string_view name) {
    const auto fits = [](char c) { return c > ' ' && c < 0x7f && c != '/'; };
    return !name.empty() && name.size() <= 64 && name[0] != '.' && std::ranges::all_of(name, fits);
  }

  const std::vector<std::string> folders_;
  std::string path_;
  std::vector<std::string> files_;
};

}  // namespace sluice::fuzz

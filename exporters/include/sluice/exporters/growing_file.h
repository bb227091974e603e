// GrowingFile: a file that is written line by line while a run goes on, so that what it holds outlives
// whatever becomes of the run.
//
// One thread.
#pragma once
#include <string>
#include <string_view>

#include "sluice/base/error.h"

namespace sluice::exporters {

class GrowingFile {
 public:
  // Empties a file that is there. Errors name it.
  [[nodiscard]] static Result<GrowingFile> Create(const std::string& path);
  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&&) = delete;
  ~GrowingFile();

  // Whole lines: on an error, a full disk say, nothing of `lines` stays where that can be taken back.
  [[nodiscard]] Result<void> Append(std::string_view lines);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  GrowingFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
  long long size_ = 0;  // bytes of whole lines
};

}  // namespace sluice::exporters

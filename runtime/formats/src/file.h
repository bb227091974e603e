// File: an open file descriptor and what the readers of this room need of it. Every failure names the
// file and what the system said.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/error.h"

namespace sluice::formats::internal {

// One thread at a time. Closes what it holds.
class File {
 public:
  // Refuses what is not a regular file (a pipe would never end). `path` must outlive the File: one is opened
  // per row, and copying its name would be an allocation per row.
  [[nodiscard]] static Result<File> OpenForReading(const std::string& path);
  static Result<File> OpenForReading(std::string&&) = delete;

  File(File&& other) noexcept : path_(other.path_), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}
  File& operator=(File&&) = delete;
  ~File();

  // As of opening.
  [[nodiscard]] std::size_t size() const { return size_; }

  // Fills `out` from byte `offset` on. An end of file before that is an Error that names the byte.
  [[nodiscard]] Result<void> ReadAt(std::size_t offset, std::span<std::byte> out) const;

 private:
  File(const std::string& path, int fd, std::size_t size) : path_(path), fd_(fd), size_(size) {}

  const std::string& path_;
  int fd_;
  std::size_t size_ = 0;
};

// "PATH: cannot WHAT: No such file or directory", of an errno value.
[[nodiscard]] std::unexpected<Error> FailOn(const std::string& path, std::string_view what, int error);

// 30729999 -> "30 729 999".
[[nodiscard]] std::string Grouped(std::uint64_t number);

}  // namespace sluice::formats::internal

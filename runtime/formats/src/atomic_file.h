// AtomicFile: a file that appears under its name complete or not at all. It grows under a temporary name
// beside it, which goes away unless Commit() succeeds.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/error.h"

namespace sluice::formats::internal {

// Ending of temporary names; a killed run leaves such a file behind.
inline constexpr std::string_view kTemporaryEnding = ".sluice-tmp";

// One thread at a time. Errors name the file and the remedy.
class AtomicFile {
 public:
  [[nodiscard]] static Result<AtomicFile> Create(std::string path);

  AtomicFile(AtomicFile&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  [[nodiscard]] Result<void> Write(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> Commit();

 private:
  AtomicFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  [[nodiscard]] std::string temporary() const { return path_ + std::string(kTemporaryEnding); }

  std::string path_;
  int fd_;
};

[[nodiscard]] Result<void> WriteWhole(const std::string& path, std::span<const std::byte> bytes);

// mkdir; a folder that is there already is fine.
[[nodiscard]] Result<void> MakeFolder(const std::string& path);

}  // namespace sluice::formats::internal

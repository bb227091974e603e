#include "sluice/exporters/growing_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "files/cannot_write.h"

namespace sluice::exporters {
Result<GrowingFile> GrowingFile::Create(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return CannotWrite(path, errno);
  return GrowingFile(path, fd);
}

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

GrowingFile::~GrowingFile() {
  if (fd_ >= 0) close(fd_);
}

Result<void> GrowingFile::Append(std::string_view lines) {
  for (std::string_view left = lines; !left.empty();) {
    const ssize_t n = write(fd_, left.data(), left.size());
    if (n >= 0) {
      left.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      const int error = errno;
      // A pipe or a terminal keeps what it has.
      if (ftruncate(fd_, size_) == 0) lseek(fd_, size_, SEEK_SET);
      return CannotWrite(path_, error);
    }
  }
  size_ += static_cast<long long>(lines.size());
  return {};
}

}  // namespace sluice::exporters

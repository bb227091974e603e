#include "sluice/exporters/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "files/cannot_write.h"

namespace sluice::exporters {
namespace {

// 0 or an errno value. Closes `fd`.
int WriteAndClose(int fd, std::string_view text, bool flush) {
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && flush && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  return error;
}

Result<void> WriteDirectly(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return CannotWrite(path, errno);
  if (const int error = WriteAndClose(fd, text, false)) return CannotWrite(path, error);
  return {};
}

// Through a symbolic link the file behind it is replaced, not the link.
std::string Resolved(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

Result<void> WriteFile(const std::string& path, std::string_view text) {
  struct stat status{};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return CannotWrite(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return WriteDirectly(path, text);
  const std::string target = Resolved(path);
  const std::string temporary = fmt::format("{}.{}.tmp", target, getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return CannotWrite(path, errno);
  int error = WriteAndClose(fd, text, true);
  if (error == 0 && rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(temporary.c_str());
  return CannotWrite(path, error);
}

}  // namespace sluice::exporters

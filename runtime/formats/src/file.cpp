#include "file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "sluice/formats/image_folder.h"

namespace sluice::formats {
namespace internal {

std::unexpected<Error> FailOn(const std::string& path, std::string_view what, int error) {
  return Fail(fmt::format("{}: cannot {}: {}", path, what, std::generic_category().message(error)));
}

std::string Grouped(std::uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ' ');
  return text;
}

Result<File> File::OpenForReading(const std::string& path) {
  int fd;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return FailOn(path, "open", errno);
  File file(path, fd, 0);
  struct stat status;
  if (::fstat(fd, &status) != 0) return FailOn(path, "read its size", errno);
  if (S_ISDIR(status.st_mode)) return Fail(path + ": is a folder, expected a file");
  if (!S_ISREG(status.st_mode)) return Fail(path + ": is not a regular file");
  file.size_ = static_cast<std::size_t>(status.st_size);
  return file;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> File::ReadAt(std::size_t offset, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailOn(path_, fmt::format("read at byte {}", Grouped(offset + done)), errno);
    if (got == 0)
      return Fail(fmt::format("{}: ends at byte {}, expected {}: it became shorter while it was read", path_,
                              Grouped(offset + done), Grouped(offset + out.size())));
    done += static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace internal

Result<Bytes> FileSize(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return internal::FailOn(path, "read its size", errno);
  if (!S_ISREG(status.st_mode)) return Fail(path + ": is not a regular file");
  return Bytes{status.st_size};
}

Result<void> ReadFile(const std::string& path, std::vector<std::byte>& out) {
  const auto file = internal::File::OpenForReading(path);
  if (!file) return std::unexpected(file.error());
  out.resize(file->size());
  return file->ReadAt(0, out);
}

Result<std::size_t> ReadFileInto(const std::string& path, std::byte* out, std::size_t capacity) {
  const auto file = internal::File::OpenForReading(path);
  if (!file) return std::unexpected(file.error());
  if (file->size() > capacity)
    return Fail(fmt::format("{}: {} bytes do not fit into the {} bytes kept for it", path,
                            internal::Grouped(file->size()), internal::Grouped(capacity)));
  if (const auto read = file->ReadAt(0, {out, file->size()}); !read) return std::unexpected(read.error());
  return file->size();
}

}  // namespace sluice::formats

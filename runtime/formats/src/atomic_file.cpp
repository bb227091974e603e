#include "atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace sluice::formats::internal {
namespace {

std::string_view Remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another folder, then run the same command again: it goes on from "
             "here";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f) or choose another folder, then run again";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that you may write to";
    case ENOENT:
      return "the folder vanished; run again";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n)";
    default:
      return "choose another folder, or run again";
  }
}

std::unexpected<Error> CannotWrite(const std::string& path, int error) {
  return Fail(
      fmt::format("{}: cannot write: {}; {}", path, std::generic_category().message(error), Remedy(error)));
}

}  // namespace

Result<AtomicFile> AtomicFile::Create(std::string path) {
  AtomicFile file(std::move(path), -1);
  do {
    file.fd_ = ::open(file.temporary().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  } while (file.fd_ < 0 && errno == EINTR);
  if (file.fd_ < 0) return CannotWrite(file.path_, errno);
  return file;
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary().c_str());
}

Result<void> AtomicFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return CannotWrite(path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

// Some file systems (NFS) report a full disk only when the file is closed.
Result<void> AtomicFile::Commit() {
  const int closed = ::close(std::exchange(fd_, -1));
  if (closed == 0 && ::rename(temporary().c_str(), path_.c_str()) == 0) return {};
  const int error = errno;
  ::unlink(temporary().c_str());
  return CannotWrite(path_, error);
}

Result<void> WriteWhole(const std::string& path, std::span<const std::byte> bytes) {
  auto file = AtomicFile::Create(path);
  if (!file) return std::unexpected(file.error());
  if (auto written = file->Write(bytes); !written) return written;
  return file->Commit();
}

Result<void> MakeFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0) return {};
  const int error = errno;
  struct stat status;
  if (error == EEXIST && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
  if (error == EEXIST) return Fail(path + ": is in the way: it is not a folder; choose another name");
  return Fail(fmt::format("{}: cannot make the folder: {}; {}", path, std::generic_category().message(error),
                          error == ENOENT ? "make the folder above it first" : Remedy(error)));
}

}  // namespace sluice::formats::internal

#include "segment/segment_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "segment/segment_folder.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

struct NewFile {
  Fd fd;
  std::string name;
};

SegmentName NextName() {
  static std::atomic<std::uint32_t> made{0};
  const auto self = ReadProcStat(getpid());
  return {getpid(), self ? self->start_ticks : 0, made.fetch_add(1)};
}

// A name may be taken by a process of the same pid in another container.
Result<NewFile> CreateFile(const Fd& folder, const std::string& folder_path) {
  for (int tries = 0; tries < 1000; ++tries) {
    const std::string name = FormatSegmentName(NextName());
    Fd fd(openat(folder.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd.valid()) return NewFile{std::move(fd), name};
    if (errno != EEXIST) break;
  }
  return Fail(fmt::format("cannot make a file in {}: {}", folder_path, std::strerror(errno)));
}

void* Map(std::size_t size, int flags, int fd) {
  return mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, fd, 0);
}

int Reserve(int fd, std::size_t size) {
  if (fchmod(fd, 0600) != 0 || ftruncate(fd, static_cast<off_t>(size)) != 0) return errno;
  return posix_fallocate(fd, 0, static_cast<off_t>(size));
}

}  // namespace

SegmentMemory::SegmentMemory(std::span<std::byte> bytes, std::string path, Fd file)
    : bytes_(bytes), path_(std::move(path)), file_(std::move(file)), maker_(getpid()) {}

SegmentMemory::SegmentMemory(SegmentMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})),
      path_(std::exchange(other.path_, {})),
      file_(std::move(other.file_)),
      maker_(other.maker_) {}

SegmentMemory::~SegmentMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  if (!path_.empty() && made_by_this_process()) RemoveSegment(path_);
}

bool SegmentMemory::made_by_this_process() const {
  return maker_ == getpid();
}

SegmentMemory SegmentMemory::Private(std::size_t size) {
  void* start = Map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (start == MAP_FAILED) throw std::bad_alloc();
  return SegmentMemory({static_cast<std::byte*>(start), size}, "", Fd());
}

Result<SegmentMemory> SegmentMemory::Shared(const std::string& folder, std::size_t size) {
  const auto folder_fd = OpenSegmentFolder(folder);
  if (!folder_fd) return std::unexpected(folder_fd.error());
  for (const auto& name : ListSegments(folder)) RemoveIfDead(folder, name);
  auto file = CreateFile(*folder_fd, folder);
  if (!file) return std::unexpected(file.error());
  const std::string path = folder + "/" + file->name;
  int error = Reserve(file->fd.get(), size);
  void* start = error == 0 ? Map(size, MAP_SHARED, file->fd.get()) : MAP_FAILED;
  if (start == MAP_FAILED) {
    if (error == 0) error = errno;
    unlinkat(folder_fd->get(), file->name.c_str(), 0);
    return Fail(fmt::format("cannot reserve {} bytes in {}: {}", size, path, std::strerror(error)));
  }
  flock(file->fd.get(), LOCK_SH | LOCK_NB);
  return SegmentMemory({static_cast<std::byte*>(start), size}, path, std::move(file->fd));
}

}  // namespace sluice::probes

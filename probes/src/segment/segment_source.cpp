#include "segment/segment_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sluice::probes {
namespace {

constexpr std::uint64_t kLargestSegment = std::uint64_t{64} << 20;

// Counters and names alike are read as words.
using Word [[gnu::may_alias]] = std::uint64_t;

void CopyWords(const std::byte* from, std::byte* to, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
    const Word word = __atomic_load_n(reinterpret_cast<const Word*>(from + at), __ATOMIC_ACQUIRE);
    std::memcpy(to + at, &word, sizeof(word));
  }
}

void CopyFile(int fd, std::uint64_t offset, std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t n = pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    offset += static_cast<std::uint64_t>(n);
    out = out.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace

Result<SegmentSource> SegmentSource::File(const std::string& path, bool writable) {
  SegmentSource source;
  source.name_ = path;
  source.file_ = Fd(open(path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info;
  if (!source.file_.valid() || fstat(source.file(), &info) != 0) {
    return Fail(fmt::format("{}: cannot open the segment: {}", path, std::strerror(errno)));
  }
  if (!S_ISREG(info.st_mode)) return Fail(fmt::format("{}: not a segment: not a plain file", path));
  source.size_ = static_cast<std::uint64_t>(info.st_size);
  if (source.size_ > kLargestSegment) {
    return Fail(fmt::format("{}: not a segment: {} bytes are too many", path, source.size_));
  }
  return source;
}

SegmentSource SegmentSource::Memory(std::span<const std::byte> bytes) {
  SegmentSource source;
  source.name_ = "segment in memory";
  source.size_ = bytes.size();
  source.memory_ = bytes.data();
  return source;
}

std::uint64_t SegmentSource::SizeNow() const {
  struct stat info;
  if (memory_ != nullptr) return size_;
  return fstat(file(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

void SegmentSource::Copy(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset >= size_) return;
  out = out.first(std::min<std::uint64_t>(out.size(), size_ - offset));
  if (memory_ == nullptr) return CopyFile(file(), offset, out);
  CopyWords(memory_ + offset, out.data(), out.size());
}

}  // namespace sluice::probes

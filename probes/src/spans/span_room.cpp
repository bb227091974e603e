#include "spans/span_room.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

namespace sluice::probes {
namespace {

using segment::SpanEntry;
using segment::SpanRing;
using segment::SpansHeader;

constexpr std::uint32_t kMostSpans = 8192;  // of a ring
constexpr std::uint32_t kFewestSpans = 256;
constexpr std::uint64_t kMostBytes = std::uint64_t{32} << 20;  // of a room, where rings are long enough

constexpr std::uint64_t RingBytes(std::uint32_t spans) {
  return sizeof(SpanRing) + std::uint64_t{spans} * sizeof(SpanEntry);
}

Result<SpanRoomShape> Check(const std::string& path, const SpansHeader& header, std::uint64_t size) {
  const auto fail = [&](const char* what) {
    return Fail(fmt::format("{}: no room for spans: {}", path, what));
  };
  if (!std::equal(segment::kSpansMagic, segment::kSpansMagic + sizeof(segment::kSpansMagic), header.magic))
    return fail("the magic is missing");
  if (header.major != segment::kSpansMajor)
    return fail("another version has made it; wait for the run's end");
  if (header.total_size != size) return fail("its size is another than it says");
  const SpanRoomShape shape{header.ring_count, header.ring_spans, header.rings_offset, header.ring_stride,
                            size};
  const bool sound = shape.rings <= segment::kTracks && std::has_single_bit(shape.spans) &&
                     shape.spans <= (1U << 24) && shape.stride >= RingBytes(shape.spans) &&
                     shape.stride % alignof(SpanRing) == 0 && shape.offset % alignof(SpanRing) == 0 &&
                     shape.offset >= sizeof(SpansHeader) && shape.offset <= size &&
                     shape.rings * shape.stride <= size - shape.offset;
  if (!sound) return fail("its rings do not lie within it");
  return shape;
}

Error CannotMake(const std::string& path, int error) {
  return {fmt::format("{}: cannot make room for spans: {}", path, std::strerror(error))};
}

std::uint64_t FreeIn(const std::string& folder) {
  struct statvfs space;
  return statvfs(folder.c_str(), &space) == 0 ? std::uint64_t{space.f_bavail} * space.f_frsize : 0;
}

Result<void> Fill(const std::string& path, const Fd& file, const SpanRoomShape& shape) {
  if (fchmod(file.get(), 0600) != 0 || ftruncate(file.get(), static_cast<off_t>(shape.size)) != 0)
    return std::unexpected(CannotMake(path, errno));
  if (const int error = posix_fallocate(file.get(), 0, static_cast<off_t>(shape.size)); error != 0)
    return std::unexpected(CannotMake(path, error));
  void* start = mmap(nullptr, sizeof(SpansHeader), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) return std::unexpected(CannotMake(path, errno));
  auto& header = *new (start) SpansHeader{};
  std::copy_n(segment::kSpansMagic, sizeof(segment::kSpansMagic), header.magic);
  header.major = segment::kSpansMajor;
  header.ring_count = shape.rings;
  header.ring_spans = shape.spans;
  header.ring_stride = static_cast<std::uint32_t>(shape.stride);
  header.rings_offset = shape.offset;
  header.total_size = shape.size;
  munmap(start, sizeof(SpansHeader));
  return {};
}

}  // namespace

std::uint32_t SpansThatFit(std::uint64_t free, std::uint32_t rings) {
  const std::uint64_t most = std::min(kMostBytes, free / 4);
  for (std::uint32_t spans = kMostSpans; spans >= kFewestSpans; spans /= 2) {
    if (sizeof(SpansHeader) + rings * RingBytes(spans) <= most) return spans;
  }
  return 0;
}

std::string SpanRoomPath(const std::string& segment_path) {
  return segment_path + segment::kSpansSuffix;
}

Result<SpanRoomFile> OpenSpanRoom(const std::string& segment_path) {
  const std::string path = SpanRoomPath(segment_path);
  Fd fd(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0)
    return Fail(fmt::format("{}: cannot open the room for spans: {}", path, std::strerror(errno)));
  if (!S_ISREG(info.st_mode)) return Fail(path + ": no room for spans: not a plain file");
  alignas(SpansHeader) std::byte bytes[sizeof(SpansHeader)] = {};
  if (pread(fd.get(), bytes, sizeof(bytes), 0) != static_cast<ssize_t>(sizeof(bytes)))
    return Fail(path + ": no room for spans: too short");
  const auto shape =
      Check(path, *reinterpret_cast<const SpansHeader*>(bytes), static_cast<std::uint64_t>(info.st_size));
  if (!shape) return std::unexpected(shape.error());
  return SpanRoomFile{std::move(fd), *shape};
}

// It gets its name when it is complete, so that a run never finds half of it.
Result<SpanRoomFile> MakeSpanRoom(const std::string& segment_path, std::uint32_t rings) {
  const std::string path = SpanRoomPath(segment_path);
  if (access(path.c_str(), F_OK) == 0) return OpenSpanRoom(segment_path);
  const std::string folder = std::filesystem::path(path).parent_path();
  SpanRoomShape shape{.rings = std::min(rings, segment::kTracks), .offset = sizeof(SpansHeader)};
  const std::uint64_t free = FreeIn(folder);
  shape.spans = SpansThatFit(free, shape.rings);
  if (shape.spans == 0) {
    return Fail(
        fmt::format("{}: cannot make room for spans: of {} KiB that are free there they may take a quarter; "
                    "give it more, in a container by --shm-size",
                    path, free / 1024));
  }
  shape.stride = RingBytes(shape.spans);
  shape.size = shape.offset + shape.rings * shape.stride;
  Fd file(open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  if (!file.valid()) return std::unexpected(CannotMake(path, errno));
  if (const auto filled = Fill(path, file, shape); !filled) return std::unexpected(filled.error());
  const std::string self = fmt::format("/proc/self/fd/{}", file.get());
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0)
    return SpanRoomFile{std::move(file), shape};
  if (errno == EEXIST) return OpenSpanRoom(segment_path);
  return std::unexpected(CannotMake(path, errno));
}

}  // namespace sluice::probes

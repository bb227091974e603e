// The room for spans of one segment: a file that is made, found and checked here (span_layout.h).
#pragma once
#include <cstdint>
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/fd.h"
#include "sluice/probes/span_layout.h"

namespace sluice::probes {

// Where the rings are; checked against the file, and never read from it again.
struct SpanRoomShape {
  std::uint32_t rings = 0;
  std::uint32_t spans = 0;  // per ring, a power of two
  std::uint64_t offset = 0;
  std::uint64_t stride = 0;
  std::uint64_t size = 0;

  [[nodiscard]] std::uint64_t RingAt(std::uint32_t ring) const { return offset + ring * stride; }
  [[nodiscard]] std::uint64_t SpanAt(std::uint32_t ring, std::uint64_t span) const {
    return RingAt(ring) + sizeof(segment::SpanRing) + (span & (spans - 1)) * sizeof(segment::SpanEntry);
  }
};

struct SpanRoomFile {
  Fd fd;
  SpanRoomShape shape;
};

// Spans of each of `rings` rings where so many bytes are free: the run, which may share the space, keeps
// three quarters of them. 0: not even the shortest rings fit.
[[nodiscard]] std::uint32_t SpansThatFit(std::uint64_t free, std::uint32_t rings);
[[nodiscard]] std::string SpanRoomPath(const std::string& segment_path);
[[nodiscard]] Result<SpanRoomFile> OpenSpanRoom(const std::string& segment_path);
// Opens the one that is there, or makes one with `rings` rings.
[[nodiscard]] Result<SpanRoomFile> MakeSpanRoom(const std::string& segment_path, std::uint32_t rings);

}  // namespace sluice::probes

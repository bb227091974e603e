// SectionCopy: a private copy of one section of a segment, entry by entry at the segment's own stride.
// One thread. The section's bounds have been checked before (segment_shape.h).
#pragma once
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "segment/segment_source.h"
#include "sluice/probes/segment_layout.h"

namespace sluice::probes {

template <typename Entry>
class SectionCopy {
 public:
  SectionCopy() = default;
  explicit SectionCopy(const segment::Section& where)
      : where_(where), first_(Lines(where)), second_(Lines(where)) {}

  [[nodiscard]] std::uint32_t capacity() const { return where_.count; }
  [[nodiscard]] const Entry& operator[](std::size_t i) const { return At(first_, i); }

  // Copies the first `count` entries twice, and again those for which `same` of both copies is false,
  // a few times. What an entry says of a moment in both copies held all the time between them.
  template <typename Same>
  void Load(const SegmentSource& source, std::size_t count, Same same) {
    source.Copy(where_.offset, Bytes(first_, 0, count));
    source.Copy(where_.offset, Bytes(second_, 0, count));
    for (std::size_t i = 0; i < count; ++i) {
      for (int tries = 0; tries < 3 && !same(At(first_, i), At(second_, i)); ++tries) Renew(source, i);
    }
  }
  template <typename Same>
  [[nodiscard]] bool Holds(std::size_t i, Same same) const {
    return same(At(first_, i), At(second_, i));
  }
  // One entry as it is just now.
  const Entry& Peek(const SegmentSource& source, std::size_t i) {
    source.Copy(where_.offset + i * where_.stride, Bytes(first_, i, 1));
    return At(first_, i);
  }
  // For entries that are never torn or that do not care.
  void Load(const SegmentSource& source) { source.Copy(where_.offset, Bytes(first_, 0, where_.count)); }

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  using Buffer = std::vector<Line>;

  static Buffer Lines(const segment::Section& where) {
    return Buffer((std::uint64_t{where.stride} * where.count + sizeof(Line) - 1) / sizeof(Line));
  }
  std::span<std::byte> Bytes(Buffer& buffer, std::size_t first, std::size_t count) const {
    return {reinterpret_cast<std::byte*>(buffer.data()) + first * where_.stride, count * where_.stride};
  }
  const Entry& At(const Buffer& buffer, std::size_t i) const {
    return *reinterpret_cast<const Entry*>(reinterpret_cast<const std::byte*>(buffer.data()) +
                                           i * where_.stride);
  }
  void Renew(const SegmentSource& source, std::size_t i) {
    std::memcpy(Bytes(first_, i, 1).data(), Bytes(second_, i, 1).data(), where_.stride);
    source.Copy(where_.offset + i * where_.stride, Bytes(second_, i, 1));
  }

  segment::Section where_{};
  Buffer first_;
  Buffer second_;
};

}  // namespace sluice::probes

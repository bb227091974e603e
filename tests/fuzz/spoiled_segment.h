// The segment of a small pipeline, and somebody else who writes into it. Rings and slots are cut to what an
// input reaches: a whole segment would take most of the time to copy.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "input.h"
#include "probes/segment_fixture.h"
#include "sluice/base/check.h"
#include "sluice/probes/segment_layout.h"
#include "sluice/probes/segment_writer.h"

namespace sluice::fuzz {

class SpoiledSegment {
 public:
  SpoiledSegment() {
    probes::SegmentWriter writer(probes::PrivateSegment(), probes::SmallGraph(), probes::SmallKnobs(),
                                 Budget{4, 1_GiB});
    for (std::uint32_t op : {0, 1, 2, 0}) static_cast<void>(writer.AddWorker(OpId{op}));
    writer.LogEvent(1, "begun");
    writer.LogDecision(2, R"({"id": 1, "at_ns": 2, "author": 0, "fate": 0, "changes": [[0, 1, 2, 3]]})");
    writer.LogDecision(
        3, R"({"verdict": {"limit": "op", "op": "decode", "sentence": "s", "confidence_fraction": 1}})");
    Cut(writer.bytes());
    SLUICE_CHECK(posix_memalign(reinterpret_cast<void**>(&bytes_), 64, fresh_.size()) == 0);
    Restore();
  }
  SpoiledSegment(const SpoiledSegment&) = delete;
  SpoiledSegment& operator=(const SpoiledSegment&) = delete;
  ~SpoiledSegment() { std::free(bytes_); }

  [[nodiscard]] std::span<std::byte> bytes() { return {bytes_, fresh_.size()}; }
  // As it was made.
  void Restore() { std::memcpy(bytes_, fresh_.data(), fresh_.size()); }

  // Bytes of a few entries, as `input` says: which section, which entry, where in it, how many, and the
  // bytes. The header's table of sections and what stands before stay: segment_fuzz looks at these.
  void Spoil(Input& input) {
    for (std::size_t left = 1 + input.UpTo(7); left > 0 && !input.empty(); --left) {
      const probes::segment::Section& section = sections_[input.UpTo(sections_.size() - 1)];
      const std::size_t entry = input.UpTo(section.count - 1);
      const std::size_t words = section.stride / 8, word = input.UpTo(words - 1);
      const std::size_t count = std::min(1 + input.UpTo(15), words - word);
      const std::size_t at = section.offset + entry * section.stride + 8 * word;
      if (at >= offsetof(probes::segment::Header, ready)) input.Fill(bytes().subspan(at, 8 * count));
    }
  }

 private:
  static constexpr std::uint32_t kMostEntries = 8;

  void Cut(std::span<const std::byte> whole) {
    fresh_.assign(whole.begin(), whole.begin() + sizeof(probes::segment::Header));
    probes::segment::Header header;
    std::memcpy(static_cast<void*>(&header), whole.data(), sizeof(header));
    for (probes::segment::Section* section : {&header.ops, &header.connectors, &header.workers, &header.knobs,
                                              &header.consumer, &header.decisions, &header.events}) {
      const auto* begin = whole.data() + section->offset;
      section->count = std::min(section->count, kMostEntries);
      section->offset = fresh_.size();
      fresh_.insert(fresh_.end(), begin, begin + std::size_t{section->count} * section->stride);
      fresh_.resize((fresh_.size() + 63) / 64 * 64);
      sections_.push_back(*section);
    }
    sections_.push_back({0, sizeof(probes::segment::Header), 1});
    header.total_size = fresh_.size();
    std::memcpy(fresh_.data(), static_cast<const void*>(&header), sizeof(header));
  }

  std::vector<std::byte> fresh_;
  std::vector<probes::segment::Section> sections_;
  std::byte* bytes_ = nullptr;
};

inline SpoiledSegment& Spoiled() {
  static SpoiledSegment segment;
  return segment;
}

}  // namespace sluice::fuzz

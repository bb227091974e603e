// RingLog: appends text to a ring of records; the newest overwrites the oldest. Thread-safe, but one ring has
// one RingLog at a time.
//
// A record is marked as being written (odd sequence), filled, and marked as whole (even). Every word is
// stored with release, so a reader that sees a new word also sees the mark (docs/telemetry-segment.md).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "sluice/base/mutex.h"
#include "sluice/probes/segment_layout.h"

namespace sluice::probes {

class RingLog {
 public:
  // Goes on behind the newest record that is there.
  explicit RingLog(std::span<segment::RingRecord> records);
  [[nodiscard]] bool empty() const { return records_.empty(); }
  // Text that is too long is cut at the border of a character.
  void Append(std::int64_t at_mono, std::string_view text) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::uint64_t next_ GUARDED_BY(mutex_) = 0;
  const std::span<segment::RingRecord> records_;
};

}  // namespace sluice::probes

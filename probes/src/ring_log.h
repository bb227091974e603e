// RingLog: appends text to a ring of records; the newest overwrites the oldest. Thread-safe.
//
// A record is marked as being written (odd sequence), filled, and marked as whole (even). Every word is
// stored with release, so a reader that sees a new word also sees the mark (docs/telemetry-segment.md).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "sluice/base/mutex.h"
#include "sluice/probes/segment_layout.h"

namespace sluice {

class RingLog {
 public:
  explicit RingLog(std::span<segment::RingRecord> records) : records_(records) {}
  // Text that is too long is cut at the border of a character.
  void Append(std::int64_t at_mono, std::string_view text) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::uint64_t next_ GUARDED_BY(mutex_) = 0;
  const std::span<segment::RingRecord> records_;
};

}  // namespace sluice

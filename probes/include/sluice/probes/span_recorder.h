// SpanRecorder: writes what the workers of this process do, one span per interval, while somebody traces.
// Nobody traces: one load per interval.
//
// Thread-safe where the tracks are: each has one writer at a time. Nothing here waits for anybody; what goes
// wrong (no room for spans, a room of another version) means that there are no spans. Must not outlive the
// segment's mapping.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "sluice/probes/segment_layout.h"

namespace sluice::probes {

// The items that an interval is about; see span_layout.h. A count of 0: not known, or none.
struct SpanItems {
  std::uint64_t in = 0, out = 0;
  std::uint32_t ins = 0, outs = 0;
  friend bool operator==(const SpanItems&, const SpanItems&) = default;
};

class SpanRecorder {
 public:
  // `path` of the segment; empty: it is private memory, and nobody can trace it.
  SpanRecorder(const segment::Header& header, std::string path);
  ~SpanRecorder();
  SpanRecorder(const SpanRecorder&) = delete;
  SpanRecorder& operator=(const SpanRecorder&) = delete;

  [[nodiscard]] bool On(std::int64_t now) const {
    return now < header_.trace_until.load(std::memory_order_relaxed);
  }
  // The track was in `state` from `since` to `now`; unused and retired ones leave no span. Intervals that
  // take less than 0.1 ms are told together, a millisecond at a time: a span for each state, with the sum of
  // its times, and the items of all. Only while On.
  void Record(std::uint32_t track, segment::WorkerState state, std::int64_t since, std::int64_t now,
              const SpanItems& items = {});
  // Nothing more comes of the track: what was to be told together is told.
  void Finish(std::uint32_t track);
  // The items of the interval that ends next, for whoever will not know them then. Only while On.
  void Number(std::uint32_t track, const SpanItems& items);

 private:
  class Room;
  [[nodiscard]] Room* Find();

  const segment::Header& header_;
  const std::string path_;
  std::atomic<Room*> room_{nullptr};
  std::atomic<bool> opening_{false};
  std::atomic<std::int64_t> failed_for_{0};  // the trace_until that found no room
};

}  // namespace sluice::probes

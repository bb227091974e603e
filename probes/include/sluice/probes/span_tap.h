// SpanTap: asks a run for spans and takes them as they come, from any process of the same user.
//
// One thread. What it reads is untrusted: every count and index is checked, and what was overwritten before
// it was read is counted as lost.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/span_recorder.h"

namespace sluice::probes {

enum class SpanState : std::uint8_t { kStarved, kBackedUp, kBusy };

// Of one connector, numbered from 0; a count of 0: not known, or none.
struct ItemsOfSpan {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t run = 0;  // of them have numbers without a gap, from the first one on
  friend bool operator==(const ItemsOfSpan&, const ItemsOfSpan&) = default;
};

struct WorkerSpan {
  std::uint32_t track = 0;  // index of the worker's slot; segment::kConsumerTrack: the consumer
  SpanState state = SpanState::kBusy;
  MonoTime begin{0};
  Nanos length{0};
  ItemsOfSpan took, made;
  friend bool operator==(const WorkerSpan&, const WorkerSpan&) = default;
};

struct TakenSpans {
  std::vector<WorkerSpan> spans;  // those of one track in their order
  std::uint64_t lost = 0;         // overwritten before they could be read, or without a ring
};

// A worker slot as it is now, or the consumer.
struct SpanTrack {
  std::uint32_t track = 0;
  std::optional<OpId> op;  // nullopt: the consumer
  std::int32_t tid = 0;
  std::int32_t pid = 0;
  std::optional<WorkerSpan> open;  // what goes on, as long as it has taken; nullopt: retired, or nothing yet
};

class SpanTap {
 public:
  // Makes room for spans beside the segment at `path` where there is none yet, for as many workers as there
  // are and some more. Errors name the file: no segment, of an older version, no space left.
  [[nodiscard]] static Result<SpanTap> Open(const std::string& path);
  SpanTap(SpanTap&&) noexcept;
  SpanTap& operator=(SpanTap&&) noexcept;
  ~SpanTap();

  // The run writes spans until then, if nobody asks for longer. So a tracer that dies costs the run nothing.
  void Ask(MonoTime until);
  // What has come since the last call; the first one takes nothing that was there before Open.
  [[nodiscard]] TakenSpans Take();
  // Every worker slot that was handed out, parts of ops excepted, then the consumer.
  [[nodiscard]] std::vector<SpanTrack> Tracks(MonoTime now) const;

 private:
  struct Impl;
  explicit SpanTap(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::probes

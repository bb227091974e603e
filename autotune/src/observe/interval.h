// Interval: what happened between two snapshots, in plain numbers. Immutable values.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::autotune {

enum class Cleanliness : std::uint8_t {
  kClean,
  kEpochTurn,  // an epoch ended inside: pipelines may drain there
  kResized,    // a knob's value changed inside, or items from before that still leave (turnover.h)
  kPaused,     // nothing moved: the consumer validates, writes a checkpoint, or hangs
  kBroken,     // counters ran backwards, another graph, no time passed
};

// Seconds are summed over the op's workers.
struct OpInterval {
  double workers = 0;    // mean number alive, not summed
  bool resized = false;  // another number of them was set
  double items = 0;
  double bytes = 0;
  double cpu = 0;   // on a core; busy where that was not measured
  double wait = 0;  // inside the op, neither on a core nor waiting for one
  double busy = 0;
  double starved = 0;
  double backed_up = 0;
  LatencyHistogram latency{};
};

struct Interval {
  Cleanliness state = Cleanliness::kBroken;
  MonoTime at{0};      // its end
  double length = 0;   // seconds in all
  double seconds = 0;  // in which the consumer took items or asked for one
  std::vector<OpInterval> ops;
  std::vector<double> taken;  // items, per connector
  double consumer_items = 0;
  double consumer_steps = 0;  // as many items less the first of all, which is taken before any step is done
  LatencyHistogram consumer_times{};  // of the steps that ended
  double consumer_busy = 0;
  double consumer_starved = 0;
  double process_cpu = 0;
  std::optional<double> idle;  // mean number of CPUs that nobody used
};

[[nodiscard]] Interval Between(const Snapshot& a, const Snapshot& b);

// The snapshot that the start of `seen`'s run would have shown: counters at zero. When that was, the
// consumer's clocks tell.
[[nodiscard]] Snapshot StartOf(const Snapshot& seen);

}  // namespace sluice::autotune

// Snapshot: one consistent reading of everything, a plain value. All counters are totals since the
// run's start; subtract two snapshots to get an interval. Missing is not zero: what could not be
// measured is nullopt, and what is known of every run of ours, but not of one that another system has
// measured, says so beside it (`..._known`, `timed`, `counted`).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/graph.h"
#include "sluice/base/knob.h"
#include "sluice/base/units.h"

namespace sluice {

struct MachineLimits;
struct Topology;

// Log2 buckets of nanoseconds per item: bucket b counts items that took [2^b, 2^(b+1)) ns.
inline constexpr std::size_t kLatencyBuckets = 40;
using LatencyHistogram = std::array<std::uint64_t, kLatencyBuckets>;

// Where the work and the memory of an op that is bound to NUMA nodes really are, as the kernel says.
struct PlaceReading {
  Nanos at_home{0};  // on-CPU time of its workers on these nodes, and on others, since it was bound to them
  Nanos elsewhere{0};
  std::uint64_t pages = 0;  // of its buffers, that were looked at last; 0: none yet, or not told
  std::uint64_t pages_at_home = 0;
};

struct OpReading {
  std::uint64_t items = 0;        // finished, exact
  Bytes bytes{0};                 // of these items
  std::uint64_t failed = 0;       // rows that raised, were skipped or replaced
  Nanos busy{0};                  // inside the op, summed over its workers
  Nanos starved{0};               // waiting for input: the ops before are too slow
  Nanos backed_up{0};             // waiting for room: the ops behind are too slow
  std::optional<Nanos> on_cpu;    // share of busy on a core
  std::optional<Nanos> runnable;  // share of busy waiting for a core; off-CPU is the rest of busy
  int workers = 0;                // alive now
  Bytes worker_memory{0};      // of one worker by itself, where workers are processes; 0: threads, or unknown
  LatencyHistogram latency{};  // busy time per item
  std::optional<PlaceReading> place{};  // nullopt: it may run anywhere
  bool items_known = true;
  bool timed = true;    // busy, starved and backed_up are known
  bool counted = true;  // bytes, failed and latency are known
};

struct ConnectorReading {
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  std::uint64_t depth = 0;  // finished items waiting now
  std::uint64_t capacity = 0;
  std::uint64_t high_water = 0;  // greatest depth so far
  Bytes bytes{0};                // held by the waiting items now
  double depth_seconds = 0;      // integral of depth over time, items * seconds
  Nanos empty{0};                // time at depth 0
  Nanos full{0};                 // time without room
  bool counted = true;           // pushed, popped and bytes are known
};

// Who takes the items: the training loop, or an emulated accelerator.
struct ConsumerReading {
  std::uint64_t items = 0;  // taken from the last connector
  std::uint64_t rows = 0;
  Nanos busy{0};             // its own time (steps)
  Nanos starved{0};          // waiting for the pipeline
  Nanos starting{0};         // of that: for the first item of an epoch, with the start of its workers
  LatencyHistogram steps{};  // its own time per item; what goes on is not in it
  LatencyHistogram waits{};  // likewise, how long it waited for the item
  bool items_known = true;
  bool rows_known = true;
  bool timed = true;  // busy, starved and starting are known
};

struct Snapshot {
  MonoTime at{0};  // when it was taken
  Nanos wall{0};   // the same moment, CLOCK_REALTIME
  std::shared_ptr<const Graph> graph;
  std::vector<OpReading> ops;                // as in graph->ops
  std::vector<ConnectorReading> connectors;  // as in graph->connectors
  ConsumerReading consumer;
  std::vector<Knob> knobs;
  Budget budget;
  Bytes buffered{0};       // accounted between source and consumer, all connectors and workers
  Bytes buffered_peak{0};  // greatest value so far
  std::uint64_t epoch = 0;
  Nanos process_cpu{0};  // user + system of the whole process, and of those that its workers live in
  std::optional<Nanos> threads_cpu{};  // of that, of its workers' threads, between items too. Not recorded
  std::optional<Bytes> rss;
  std::optional<Nanos> idle;                     // of the CPUs that it may run on, since the first look
  std::optional<Nanos> throttled;                // time that the cgroup quota held the process back
  std::shared_ptr<const MachineLimits> machine;  // what bounds the budget; nullptr: not known
  std::shared_ptr<const Topology> topology{};    // nullptr: not known, or nothing can be bound
  std::optional<std::size_t> device{};           // of topology->devices: where the consumer's items go
  bool finished = false;                         // the pipeline has ended; counters are final
  bool buffered_known = true;                    // and its peak
  bool epoch_known = true;
  bool cpu_known = true;  // process_cpu
};

}  // namespace sluice

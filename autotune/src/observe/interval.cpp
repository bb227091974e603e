#include "observe/interval.h"

#include <algorithm>

namespace sluice::autotune {
namespace {

// Above this share of the core budget a worker that is not on a core most likely waits for one.
constexpr double kSaturated = 0.9;
constexpr double kAllTheTime = 0.9;  // of an interval: clocks are read one after another

template <typename Later, typename Earlier>
double Grown(Later later, Earlier earlier) {
  return static_cast<double>(later) - static_cast<double>(earlier);
}
double Grown(Nanos later, Nanos earlier) {
  return Seconds(later - earlier);
}

bool SameShape(const Snapshot& a, const Snapshot& b) {
  return a.graph == b.graph && a.ops.size() == b.ops.size() && a.connectors.size() == b.connectors.size();
}

bool RanBackwards(const Snapshot& a, const Snapshot& b) {
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    if (b.ops[i].items < a.ops[i].items || b.ops[i].busy < a.ops[i].busy) return true;
  }
  return b.consumer.items < a.consumer.items;
}

bool Same(const Knob& a, const Knob& b) {
  return a.id == b.id && a.value == b.value;
}

bool Resized(const Snapshot& a, const Snapshot& b) {
  return !std::ranges::equal(a.knobs, b.knobs, Same);
}

// Workers that end with an epoch and start again with the next are as many as before: their knob tells.
void NoteResized(const Snapshot& a, const Snapshot& b, std::vector<OpInterval>& ops) {
  for (std::size_t k = 0; k < std::min(a.knobs.size(), b.knobs.size()); ++k) {
    const KnobId id = b.knobs[k].id;
    const bool workers = id.kind == KnobKind::kWorkers && id.target < ops.size();
    if (workers && !Same(a.knobs[k], b.knobs[k])) ops[id.target].resized = true;
  }
}

double OffCpu(const OpReading& a, const OpReading& b, const OpInterval& op, bool saturated) {
  if (!a.on_cpu || !b.on_cpu) return 0;
  if (a.runnable && b.runnable) return std::max(0.0, op.busy - op.cpu - Grown(*b.runnable, *a.runnable));
  return saturated ? 0 : std::max(0.0, op.busy - op.cpu);
}

LatencyHistogram Counted(const LatencyHistogram& a, const LatencyHistogram& b) {
  LatencyHistogram counted{};
  for (std::size_t i = 0; i < kLatencyBuckets; ++i) counted[i] = b[i] >= a[i] ? b[i] - a[i] : 0;
  return counted;
}

OpInterval OpBetween(const OpReading& a, const OpReading& b, bool saturated) {
  OpInterval op;
  op.workers = 0.5 * (a.workers + b.workers);
  op.items = Grown(b.items, a.items);
  op.bytes = Grown(b.bytes.count, a.bytes.count);
  op.busy = Grown(b.busy, a.busy);
  op.starved = std::max(0.0, Grown(b.starved, a.starved));
  op.backed_up = std::max(0.0, Grown(b.backed_up, a.backed_up));
  op.cpu = a.on_cpu && b.on_cpu ? std::max(0.0, Grown(*b.on_cpu, *a.on_cpu)) : op.busy;
  op.wait = OffCpu(a, b, op, saturated);
  op.latency = Counted(a.latency, b.latency);
  return op;
}

double CpuUsed(const Snapshot& a, const Snapshot& b) {
  double seconds = 0;
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    const auto &before = a.ops[i].on_cpu, &now = b.ops[i].on_cpu;
    if (before && now) seconds += Grown(*now, *before);
  }
  return std::max(seconds, Grown(b.process_cpu, a.process_cpu));
}

bool Paused(const Interval& interval) {
  const bool moved = std::ranges::any_of(interval.ops, [](const OpInterval& op) { return op.items > 0; });
  const bool busy = std::ranges::any_of(interval.ops, [](const OpInterval& op) { return op.busy > 0; });
  return !moved && !busy && interval.consumer_items == 0;
}

// Waiting that other settings may end: no number of workers or items ahead makes the start of them shorter.
Nanos Flowing(const ConsumerReading& consumer) {
  return consumer.starved - consumer.starting;
}

// Between two epochs the consumer asks for nothing, and at the start of one there is nothing yet: that is no
// time of this pipeline's flow, and what the process computes meanwhile is nothing of its doing.
void LeaveOutPauses(Interval& interval, const ConsumerReading& consumer) {
  const bool tells = consumer.busy + consumer.starved > Nanos(0);
  const double active = interval.consumer_busy + interval.consumer_starved;
  if (!tells || active >= kAllTheTime * interval.seconds) return;
  interval.process_cpu *= active / interval.seconds;
  interval.seconds = active;
}

Cleanliness Judge(const Snapshot& a, const Snapshot& b, const Interval& interval) {
  if (Resized(a, b)) return Cleanliness::kResized;
  if (a.epoch != b.epoch) return Cleanliness::kEpochTurn;
  return Paused(interval) ? Cleanliness::kPaused : Cleanliness::kClean;
}

}  // namespace

Interval Between(const Snapshot& a, const Snapshot& b) {
  Interval interval;
  interval.at = b.at;
  interval.length = interval.seconds = Seconds(b.at - a.at);
  if (interval.seconds <= 0 || !SameShape(a, b) || RanBackwards(a, b)) return interval;
  interval.ops.reserve(a.ops.size());
  const bool saturated = CpuUsed(a, b) > kSaturated * b.budget.cores * interval.seconds;
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    interval.ops.push_back(OpBetween(a.ops[i], b.ops[i], saturated));
  }
  NoteResized(a, b, interval.ops);
  for (std::size_t c = 0; c < a.connectors.size(); ++c) {
    interval.taken.push_back(Grown(b.connectors[c].popped, a.connectors[c].popped));
  }
  interval.consumer_items = Grown(b.consumer.items, a.consumer.items);
  const bool first = a.consumer.items == 0 && b.consumer.items > 0;
  interval.consumer_steps = interval.consumer_items - (first ? 1 : 0);
  interval.consumer_times = Counted(a.consumer.steps, b.consumer.steps);
  interval.consumer_busy = std::max(0.0, Grown(b.consumer.busy, a.consumer.busy));
  interval.consumer_starved = std::max(0.0, Grown(Flowing(b.consumer), Flowing(a.consumer)));
  interval.process_cpu = std::max(0.0, Grown(b.process_cpu, a.process_cpu));
  if (a.idle && b.idle) interval.idle = std::max(0.0, Grown(*b.idle, *a.idle)) / interval.length;
  interval.state = Judge(a, b, interval);
  LeaveOutPauses(interval, b.consumer);
  return interval;
}

Snapshot StartOf(const Snapshot& seen) {
  Snapshot start = seen;
  start.at = seen.at - seen.consumer.busy - seen.consumer.starved;
  start.consumer = {};
  for (OpReading& op : start.ops) {
    start.process_cpu -= op.on_cpu.value_or(Nanos(0));  // what the process used before is not the pipeline's
    if (op.on_cpu) op.on_cpu = Nanos(0);
    if (op.runnable) op.runnable = Nanos(0);
    const int workers = op.workers;
    op = {.on_cpu = op.on_cpu, .runnable = op.runnable, .workers = workers};
  }
  for (ConnectorReading& connector : start.connectors) connector = {.capacity = connector.capacity};
  return start;
}

}  // namespace sluice::autotune

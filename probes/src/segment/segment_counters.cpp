#include "segment/segment_counters.h"

#include <algorithm>

namespace sluice::probes {
namespace {

using segment::WorkerState;

constexpr auto kLastHeld = static_cast<std::uint32_t>(HeldBecause::kChanges);

static_assert(kLatencyBuckets == segment::kLatencyBuckets);

// What is counted stays at this once it is there (36 years, an exbibyte, 10^18 items), so that those who add
// up a few do not overflow.
constexpr std::uint64_t kMost = std::uint64_t{1} << 60;

std::int64_t Clamp(std::uint64_t n) {
  return static_cast<std::int64_t>(std::min(n, kMost));
}

std::uint64_t Get(const segment::Counter& counter) {
  return std::min(counter.load(std::memory_order_relaxed), kMost);
}
std::int64_t Get(const segment::Gauge& gauge) {
  return gauge.load(std::memory_order_relaxed);
}

std::uint64_t NotNegative(std::int64_t n) {
  return std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0)), kMost);
}

// REQUIRES: both not negative.
std::int64_t Added(std::int64_t a, std::int64_t b) {
  return Clamp(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
Nanos Added(Nanos a, Nanos b) {
  return Nanos(Added(a.count(), b.count()));
}
Nanos Time(const segment::Counter& counter) {
  return Nanos(Clamp(Get(counter)));
}

bool IsIn(const segment::WorkerSlot& slot, WorkerState state) {
  return slot.state.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(state);
}

// Closed intervals, and the open one if the slot is in that state.
Nanos TimeIn(const segment::WorkerSlot& slot, WorkerState state, const segment::Counter& closed,
             MonoTime now) {
  return IsIn(slot, state) ? Added(Time(closed), Elapsed(now, Get(slot.since))) : Time(closed);
}

template <typename T>
void RaiseTo(T& value, const T& floor) {
  value = std::max(value, floor);
}

// Of ops or of workers.
template <typename Reading>
void RaiseTimes(std::vector<Reading>& now, const std::vector<Reading>& before) {
  for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
    RaiseTo(now[i].busy, before[i].busy);
    RaiseTo(now[i].starved, before[i].starved);
    RaiseTo(now[i].backed_up, before[i].backed_up);
  }
}

}  // namespace

Nanos Elapsed(MonoTime now, std::int64_t since) {
  return since > 0 && now.count() > since ? Nanos(now.count() - since) : Nanos(0);
}

void AddLatencies(LatencyHistogram& to, const segment::Counter (&counted)[kLatencyBuckets]) {
  for (std::size_t b = 0; b < kLatencyBuckets; ++b) to[b] = std::min(to[b] + Get(counted[b]), kMost);
}

WorkerReading ReadWorker(const segment::WorkerSlot& slot, MonoTime now) {
  return {.op = OpId{slot.op.load(std::memory_order_relaxed)},
          .items = Get(slot.items),
          .busy = TimeIn(slot, WorkerState::kBusy, slot.busy_ns, now),
          .starved = TimeIn(slot, WorkerState::kStarved, slot.starved_ns, now),
          .backed_up = TimeIn(slot, WorkerState::kBackedUp, slot.backed_up_ns, now)};
}

void AddWorker(OpReading& op, const segment::WorkerSlot& slot, MonoTime now) {
  const WorkerReading worker = ReadWorker(slot, now);
  op.items = std::min(op.items + worker.items, kMost);
  op.bytes.count = Added(op.bytes.count, Clamp(Get(slot.bytes)));
  op.busy = Added(op.busy, worker.busy);
  op.starved = Added(op.starved, worker.starved);
  op.backed_up = Added(op.backed_up, worker.backed_up);
  AddLatencies(op.latency, slot.latency);
  const bool alive = IsIn(slot, WorkerState::kBusy) || IsIn(slot, WorkerState::kStarved) ||
                     IsIn(slot, WorkerState::kBackedUp);
  op.workers += alive ? 1 : 0;
}

WorkerThread ReadWorkerThread(const segment::WorkerSlot& slot, MonoTime now) {
  WorkerThread thread;
  thread.op = OpId{slot.op.load(std::memory_order_relaxed)};
  thread.tid = slot.tid.load(std::memory_order_relaxed);
  thread.pid = slot.pid.load(std::memory_order_relaxed);
  thread.busy = TimeIn(slot, WorkerState::kBusy, slot.busy_ns, now);
  thread.helped = Time(slot.helped_ns);
  thread.helping = Time(slot.thread_helping_ns);
  thread.retired = IsIn(slot, WorkerState::kRetired);
  return thread;
}

ConnectorReading ReadConnector(const segment::ConnectorEntry& entry, MonoTime now) {
  ConnectorReading reading;
  const Nanos unchanged = Elapsed(now, Get(entry.changed));
  reading.pushed = Get(entry.pushed);
  reading.popped = Get(entry.popped);
  reading.depth = NotNegative(Get(entry.depth));
  reading.capacity = NotNegative(Get(entry.capacity));
  reading.high_water = Get(entry.high_water);
  const std::uint64_t in = Get(entry.pushed_bytes), out = Get(entry.popped_bytes);
  reading.bytes = {in > out ? Clamp(in - out) : 0};
  reading.depth_seconds = static_cast<double>(Get(entry.depth_integral)) * 1e-9 +
                          static_cast<double>(reading.depth) * Seconds(unchanged);
  reading.empty = reading.depth == 0 ? Added(Time(entry.empty_ns), unchanged) : Time(entry.empty_ns);
  reading.full = Added(Time(entry.full_ns), Elapsed(now, Get(entry.full_since)));
  return reading;
}

ConsumerReading ReadConsumer(const segment::ConsumerEntry& entry, MonoTime now) {
  ConsumerReading reading{.items = Get(entry.items),
                          .rows = Get(entry.rows),
                          .busy = Time(entry.busy_ns),
                          .starved = Time(entry.starved_ns)};
  const Nanos open = Elapsed(now, Get(entry.since));
  const auto state = entry.state.load(std::memory_order_relaxed);
  if (state == static_cast<std::uint32_t>(WorkerState::kBusy)) reading.busy = Added(reading.busy, open);
  if (state == static_cast<std::uint32_t>(WorkerState::kStarved))
    reading.starved = Added(reading.starved, open);
  return reading;
}

void ReadSteps(const segment::StepEntry& entry, ConsumerReading& consumer) {
  AddLatencies(consumer.steps, entry.step);
  AddLatencies(consumer.waits, entry.wait);
}

Nanos ReadStarting(const segment::Header& header, Nanos starved) {
  const Nanos ended = Time(header.starting_ns);
  const std::uint64_t from = Get(header.starting_from);
  const Nanos open = from == 0 ? Nanos(0) : starved - Nanos(Clamp(from - 1));
  return std::clamp(Added(ended, std::max(open, Nanos(0))), Nanos(0), starved);
}

EndedEpoch ReadEpoch(const segment::Header& header) {
  EndedEpoch epoch;
  epoch.number = Get(header.epochs_ended);
  epoch.took = Time(header.epoch_ns);
  epoch.first = std::min(Time(header.epoch_first_ns), epoch.took);
  epoch.items = Get(header.epoch_items);
  epoch.workers = Get(header.epoch_workers);
  epoch.capacity = Get(header.epoch_capacity);
  return epoch;
}

EpochOutlook ReadOutlook(const segment::Header& header) {
  return {Get(header.epoch_length), Time(header.start_ns), Time(header.start_cpu_ns)};
}

void ReadPages(PlaceReading& place, const segment::KnobCell& cell) {
  place.pages = NotNegative(Get(cell.pages));
  place.pages_at_home = std::min(NotNegative(Get(cell.pages_at_home)), place.pages);
}

void ReadKnob(Knob& knob, const segment::KnobCell& cell) {
  knob.value = Get(cell.applied);
  knob.requested = Get(cell.requested);
  knob.generation = Get(cell.generation);
  const auto holder = cell.holder.load(std::memory_order_relaxed);
  const auto held = cell.held.load(std::memory_order_relaxed);
  knob.held = held <= kLastHeld ? static_cast<HeldBecause>(held) : HeldBecause::kUnknown;
  const bool pinned = held != 0 || holder == static_cast<std::uint32_t>(Holder::kUser);
  knob.holder = pinned ? Holder::kUser : Holder::kAuto;
}

void NeverFall(Snapshot& now, const Snapshot& before) {
  RaiseTimes(now.ops, before.ops);
  for (std::size_t i = 0; i < std::min(now.connectors.size(), before.connectors.size()); ++i) {
    RaiseTo(now.connectors[i].depth_seconds, before.connectors[i].depth_seconds);
    RaiseTo(now.connectors[i].empty, before.connectors[i].empty);
    RaiseTo(now.connectors[i].full, before.connectors[i].full);
  }
  RaiseTo(now.consumer.busy, before.consumer.busy);
  RaiseTo(now.consumer.starved, before.consumer.starved);
  RaiseTo(now.consumer.starting, before.consumer.starting);
}

void NeverFall(std::vector<WorkerReading>& now, const std::vector<WorkerReading>& before) {
  RaiseTimes(now, before);
}

}  // namespace sluice::probes

// How a writer closes one interval and opens the next, so that a reader who looks in between, even at a
// writer that has lost its core, may miss an interval but never counts one twice: first no interval is
// open, then the new state and moment, then the closed counter. Every store has release order, which on
// x86 costs nothing. See docs/telemetry-segment.md, "Intervals".
//
// Each entry has one writer at a time; `now` never falls.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "sluice/probes/segment_layout.h"

namespace sluice::probes::segment {

inline constexpr std::int64_t kNoneOpen = 0;

// Adds so that whoever sees the sum also sees what the caller stored before.
inline void AddAfter(Counter& c, std::uint64_t n) {
  c.store(c.load(std::memory_order_relaxed) + n, std::memory_order_release);
}

// The moments may be what somebody else has written: their difference need not fit into a signed number.
inline std::uint64_t Between(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

// Sets state and moment; returns the length of the interval that ended.
inline std::uint64_t Reopen(std::atomic<std::uint32_t>& state, Gauge& since, WorkerState next,
                            std::int64_t now) {
  const std::int64_t before = since.load(std::memory_order_relaxed);
  since.store(kNoneOpen, std::memory_order_release);
  state.store(static_cast<std::uint32_t>(next), std::memory_order_release);
  since.store(now, std::memory_order_release);
  return Between(before, now);
}

inline std::size_t LatencyBucket(std::uint64_t ns) {
  return std::min(static_cast<std::size_t>(std::bit_width(ns | 1) - 1), kLatencyBuckets - 1);
}

// `items` that took `ns` together.
inline void AddLatency(Counter (&latency)[kLatencyBuckets], std::uint64_t ns, std::uint64_t items) {
  if (items > 0) Add(latency[LatencyBucket(ns / items)], items);
}

inline void AddTime(WorkerSlot& slot, WorkerState state, std::uint64_t ns) {
  if (state == WorkerState::kBusy) AddAfter(slot.busy_ns, ns);
  if (state == WorkerState::kStarved) AddAfter(slot.starved_ns, ns);
  if (state == WorkerState::kBackedUp) AddAfter(slot.backed_up_ns, ns);
}

inline void AddTime(ConsumerEntry& consumer, WorkerState state, std::uint64_t ns) {
  if (state == WorkerState::kBusy) AddAfter(consumer.busy_ns, ns);
  if (state == WorkerState::kStarved) AddAfter(consumer.starved_ns, ns);
}

// Ends the state of a worker or of the consumer at `now` and begins `next`.
template <typename Entry>
void Enter(Entry& entry, WorkerState next, std::int64_t now) {
  const auto state = static_cast<WorkerState>(entry.state.load(std::memory_order_relaxed));
  AddTime(entry, state, Reopen(entry.state, entry.since, next, now));
}

// Ends the state at `now` and begins it anew: `ns` of it, all of it at most, were spent in `inner`, now and
// then. Returns the rest.
template <typename Entry>
std::uint64_t Split(Entry& entry, WorkerState inner, std::uint64_t ns, std::int64_t now) {
  const auto state = static_cast<WorkerState>(entry.state.load(std::memory_order_relaxed));
  const std::uint64_t spent = Reopen(entry.state, entry.since, state, now);
  const std::uint64_t rest = spent - std::min(ns, spent);
  AddTime(entry, state, rest);
  AddTime(entry, inner, spent - rest);
  return rest;
}

// Sets the depth and brings integral and empty time up to `now`. The caller holds the connector's lock.
inline void SetDepth(ConnectorEntry& connector, std::uint64_t depth, std::int64_t now) {
  const auto old_depth = static_cast<std::uint64_t>(connector.depth.load(std::memory_order_relaxed));
  const std::uint64_t spent = Between(connector.changed.load(std::memory_order_relaxed), now);
  connector.changed.store(kNoneOpen, std::memory_order_release);
  connector.depth.store(static_cast<std::int64_t>(depth), std::memory_order_release);
  connector.changed.store(now, std::memory_order_release);
  AddAfter(connector.depth_integral, old_depth * spent);
  if (old_depth == 0) AddAfter(connector.empty_ns, spent);
}

}  // namespace sluice::probes::segment

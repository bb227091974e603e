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

// Ends the slot's state at `now` and begins `next`.
inline void Enter(WorkerSlot& slot, WorkerState next, std::int64_t now) {
  const auto state = static_cast<WorkerState>(slot.state.load(std::memory_order_relaxed));
  const std::uint64_t spent = Reopen(slot.state, slot.since, next, now);
  if (state == WorkerState::kBusy) AddAfter(slot.busy_ns, spent);
  if (state == WorkerState::kStarved) AddAfter(slot.starved_ns, spent);
  if (state == WorkerState::kBackedUp) AddAfter(slot.backed_up_ns, spent);
}

inline void Enter(ConsumerEntry& consumer, WorkerState next, std::int64_t now) {
  const auto state = static_cast<WorkerState>(consumer.state.load(std::memory_order_relaxed));
  const std::uint64_t spent = Reopen(consumer.state, consumer.since, next, now);
  if (state == WorkerState::kBusy) AddAfter(consumer.busy_ns, spent);
  if (state == WorkerState::kStarved) AddAfter(consumer.starved_ns, spent);
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

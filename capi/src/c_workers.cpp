#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "c_segment.h"
#include "c_status.h"
#include "sluice/probes/intervals.h"
#include "sluice/probes/span_layout.h"

using sluice::capi::NoSegment;
using sluice::capi::NoSuch;
using sluice::capi::NotBefore;
using sluice::capi::Refuse;
using sluice::probes::segment::WorkerSlot;
using sluice::probes::segment::WorkerState;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
using Latency = std::array<uint64_t, sluice::probes::segment::kLatencyBuckets>;

uint64_t NotNegative(int64_t took) {
  return static_cast<uint64_t>(std::max<int64_t>(took, 0));
}

// An entry whose last writer died between two stores has no open interval: its next one begins now. What ends
// is a span, should somebody trace. Returns how long it was; nullopt: none has ended.
template <typename Entry>
std::optional<uint64_t> EnterSafely(const sluice_segment& segment, uint32_t track, Entry& entry,
                                    WorkerState next, int64_t now) {
  const int64_t since = entry.since.load(kRelaxed);
  const auto was = static_cast<WorkerState>(entry.state.load(kRelaxed));
  const bool open = since != sluice::probes::segment::kNoneOpen;
  if (!open) entry.since.store(now, std::memory_order_release);
  now = NotBefore(now, since);
  sluice::probes::segment::Enter(entry, next, now);
  if (!open) return std::nullopt;
  if (segment.spans->On(now)) segment.spans->Record(track, was, since, now);
  return sluice::probes::segment::Between(since, now);
}

// The same state goes on: `ns` of it until `now` were spent in `inner`. Returns the rest; nullopt as above.
template <typename Entry>
std::optional<uint64_t> SplitSafely(Entry& entry, WorkerState inner, uint64_t ns, int64_t now) {
  const int64_t since = entry.since.load(kRelaxed);
  if (since != sluice::probes::segment::kNoneOpen)
    return sluice::probes::segment::Split(entry, inner, ns, NotBefore(now, since));
  entry.since.store(now, std::memory_order_release);
  return std::nullopt;
}

// A wait that ends without an item, at the end of an epoch, is none.
void CountStep(const sluice_segment& segment, WorkerState was, WorkerState next, uint64_t took) {
  auto* steps = segment.view.steps();
  if (steps == nullptr) return;
  if (was == WorkerState::kBusy) sluice::probes::segment::AddLatency(steps->step, took, 1);
  if (was == WorkerState::kStarved && next == WorkerState::kBusy)
    sluice::probes::segment::AddLatency(steps->wait, took, 1);
}

// The first item of an epoch is there.
void EndStarting(const sluice_segment& segment) {
  auto& header = segment.view.header();
  const uint64_t from = header.starting_from.load(kRelaxed);
  if (from == 0) return;
  const uint64_t starved = segment.view.consumer().starved_ns.load(kRelaxed);
  header.starting_from.store(0, std::memory_order_release);
  if (starved >= from) sluice::probes::segment::Add(header.starting_ns, starved - (from - 1));
}

bool IsWorkerState(int state) {
  return state >= SLUICE_STARVED && state <= SLUICE_RETIRED;
}

}  // namespace

sluice_status sluice_add_worker(sluice_segment* segment, uint32_t op, uint32_t* worker) {
  if (segment == nullptr || worker == nullptr) return NoSegment();
  if (op >= segment->view.op_count()) return NoSuch("op", op);
  const auto slot = segment->view.AddWorker(op);
  if (!slot) return Refuse(SLUICE_FULL, "all worker slots are used");
  *worker = *slot;
  return SLUICE_OK;
}

sluice_status sluice_worker_begin(sluice_segment* segment, uint32_t worker, int64_t now) {
  if (segment == nullptr) return NoSegment();
  WorkerSlot* slot = segment->view.worker(worker);
  if (slot == nullptr) return NoSuch("worker", worker);
  slot->pid.store(getpid(), kRelaxed);
  slot->tid.store(static_cast<int32_t>(syscall(SYS_gettid)), kRelaxed);
  EnterSafely(*segment, worker, *slot, WorkerState::kStarved, now);
  return SLUICE_OK;
}

sluice_status sluice_worker_enter(sluice_segment* segment, uint32_t worker, int state, int64_t now) {
  if (segment == nullptr) return NoSegment();
  WorkerSlot* slot = segment->view.worker(worker);
  if (slot == nullptr) return NoSuch("worker", worker);
  if (!IsWorkerState(state)) return NoSuch("state", static_cast<uint32_t>(state));
  EnterSafely(*segment, worker, *slot, static_cast<WorkerState>(state), now);
  return SLUICE_OK;
}

sluice_status sluice_worker_done(sluice_segment* segment, uint32_t worker, uint64_t bytes, int64_t busy) {
  if (segment == nullptr) return NoSegment();
  WorkerSlot* slot = segment->view.worker(worker);
  if (slot == nullptr) return NoSuch("worker", worker);
  sluice::probes::segment::Add(slot->items, 1);
  sluice::probes::segment::Add(slot->bytes, bytes);
  sluice::probes::segment::AddLatency(slot->latency, NotNegative(busy), 1);
  return SLUICE_OK;
}

sluice_status sluice_worker_did(sluice_segment* segment, uint32_t worker, uint64_t items, uint64_t bytes,
                                int64_t busy, int64_t now) {
  if (segment == nullptr) return NoSegment();
  WorkerSlot* slot = segment->view.worker(worker);
  if (slot == nullptr) return NoSuch("worker", worker);
  SplitSafely(*slot, WorkerState::kBusy, NotNegative(busy), now);
  sluice::probes::segment::Add(slot->items, items);
  sluice::probes::segment::Add(slot->bytes, bytes);
  sluice::probes::segment::AddLatency(slot->latency, NotNegative(busy), items);
  return SLUICE_OK;
}

sluice_status sluice_worker_retire(sluice_segment* segment, uint32_t worker, int64_t now) {
  if (segment == nullptr) return NoSegment();
  WorkerSlot* slot = segment->view.worker(worker);
  if (slot == nullptr) return NoSuch("worker", worker);
  EnterSafely(*segment, worker, *slot, WorkerState::kRetired, now);
  segment->spans->Finish(worker);
  return SLUICE_OK;
}

sluice_status sluice_worker_lives(const sluice_segment* segment, uint32_t worker, int* lives) {
  if (segment == nullptr || lives == nullptr) return NoSegment();
  const WorkerSlot* slot = segment->view.worker(worker);
  if (slot == nullptr) return NoSuch("worker", worker);
  const auto state = static_cast<WorkerState>(slot->state.load(kRelaxed));
  *lives = state != WorkerState::kUnused && state != WorkerState::kRetired ? 1 : 0;
  return SLUICE_OK;
}

sluice_status sluice_part_done(sluice_segment* segment, uint32_t part, const int64_t* took, size_t count) {
  if (segment == nullptr || (took == nullptr && count > 0)) return NoSegment();
  if (part >= segment->parts.size() || segment->parts[part] == nullptr) return NoSuch("part", part);
  Latency latency{};
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    ++latency[sluice::probes::segment::LatencyBucket(NotNegative(took[i]))];
    sum += NotNegative(took[i]);
  }
  WorkerSlot& slot = *segment->parts[part];
  for (std::size_t b = 0; b < latency.size(); ++b) {
    if (latency[b] > 0) slot.latency[b].fetch_add(latency[b], kRelaxed);
  }
  slot.helped_ns.fetch_add(sum, kRelaxed);
  slot.items.fetch_add(count, kRelaxed);
  return SLUICE_OK;
}

sluice_status sluice_op_items(const sluice_segment* segment, uint32_t op, uint64_t* items) {
  if (segment == nullptr || items == nullptr) return NoSegment();
  if (op >= segment->view.op_count()) return NoSuch("op", op);
  uint64_t sum = 0;
  uint32_t i = 0;
  while (const WorkerSlot* slot = segment->view.worker(i++)) {
    if (slot->op.load(kRelaxed) == op) sum += slot->items.load(std::memory_order_acquire);
  }
  *items = sum;
  return SLUICE_OK;
}

sluice_status sluice_op_failed(sluice_segment* segment, uint32_t op, uint64_t rows) {
  if (segment == nullptr) return NoSegment();
  auto* entry = segment->view.op(op);
  if (entry == nullptr) return NoSuch("op", op);
  entry->failed.fetch_add(rows, kRelaxed);
  return SLUICE_OK;
}

sluice_status sluice_consumer_enter(sluice_segment* segment, int state, int64_t now) {
  if (segment == nullptr) return NoSegment();
  if (state != SLUICE_PAUSED && state != SLUICE_STARVED && state != SLUICE_BUSY)
    return NoSuch("state", static_cast<uint32_t>(state));
  auto& consumer = segment->view.consumer();
  consumer.tid.store(static_cast<int32_t>(syscall(SYS_gettid)), kRelaxed);
  const auto was = static_cast<WorkerState>(consumer.state.load(kRelaxed));
  const auto next = static_cast<WorkerState>(state);
  const auto took = EnterSafely(*segment, sluice::probes::segment::kConsumerTrack, consumer, next, now);
  if (took && was != next) CountStep(*segment, was, next, *took);
  return SLUICE_OK;
}

sluice_status sluice_consumer_took(sluice_segment* segment, uint64_t items, uint64_t rows) {
  if (segment == nullptr) return NoSegment();
  auto& consumer = segment->view.consumer();
  if (items > 0) EndStarting(*segment);
  sluice::probes::segment::Add(consumer.items, items);
  sluice::probes::segment::Add(consumer.rows, rows);
  return SLUICE_OK;
}

sluice_status sluice_consumer_did(sluice_segment* segment, uint64_t items, uint64_t rows, int64_t starved,
                                  int64_t now) {
  if (segment == nullptr) return NoSegment();
  const auto worked = SplitSafely(segment->view.consumer(), WorkerState::kStarved, NotNegative(starved), now);
  auto* steps = segment->view.steps();
  if (worked && steps != nullptr) {
    sluice::probes::segment::AddLatency(steps->step, *worked, items);
    sluice::probes::segment::AddLatency(steps->wait, NotNegative(starved), items);
  }
  return sluice_consumer_took(segment, items, rows);
}

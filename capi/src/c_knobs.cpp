#include <algorithm>

#include "c_segment.h"
#include "c_status.h"
#include "sluice/base/clock.h"
#include "sluice/base/futex.h"

using sluice::capi::NoSegment;
using sluice::capi::NoSuch;
using sluice::capi::Refuse;
using sluice::probes::segment::KnobCell;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

sluice_status sluice_knob_requested(const sluice_segment* segment, uint32_t knob, int64_t* value) {
  if (segment == nullptr || value == nullptr) return NoSegment();
  const KnobCell* cell = segment->view.knob(knob);
  if (cell == nullptr) return NoSuch("knob", knob);
  // Not clamp(): whoever shares the segment may have left the bounds the wrong way round by now.
  *value = std::max(std::min(cell->requested.load(std::memory_order_acquire), cell->max), cell->min);
  return SLUICE_OK;
}

sluice_status sluice_knob_apply(sluice_segment* segment, uint32_t knob, int64_t value) {
  if (segment == nullptr) return NoSegment();
  KnobCell* cell = segment->view.knob(knob);
  if (cell == nullptr) return NoSuch("knob", knob);
  if (cell->applied.load(kRelaxed) == value) return SLUICE_OK;
  cell->applied.store(value, std::memory_order_release);
  sluice::probes::segment::Add(cell->generation, 1);
  return SLUICE_OK;
}

sluice_status sluice_knob_hold(sluice_segment* segment, uint32_t knob, int because) {
  if (segment == nullptr) return NoSegment();
  KnobCell* cell = segment->view.knob(knob);
  if (cell == nullptr) return NoSuch("knob", knob);
  if (because < SLUICE_NOT_HELD || because > SLUICE_HELD_CHANGES)
    return NoSuch("reason", static_cast<uint32_t>(because));
  cell->held.store(static_cast<uint32_t>(because), std::memory_order_release);
  return SLUICE_OK;
}

const uint32_t* sluice_knob_serial(const sluice_segment* segment) {
  return segment == nullptr ? nullptr : reinterpret_cast<uint32_t*>(&segment->view.header().knob_futex);
}

sluice_status sluice_knob_wait(const sluice_segment* segment, uint32_t seen, int64_t timeout,
                               uint32_t* serial) {
  if (segment == nullptr) return NoSegment();
  auto& word = segment->view.header().knob_futex;
  const int64_t until = sluice_now() + std::clamp<int64_t>(timeout, 0, int64_t{3600} * 1'000'000'000);
  uint32_t now_is = word.load(std::memory_order_acquire);
  for (int64_t left = until - sluice_now(); now_is == seen && left > 0; left = until - sluice_now()) {
    sluice::SleepOnFutex(word, seen, sluice::Nanos(left));
    now_is = word.load(std::memory_order_acquire);
  }
  if (serial != nullptr) *serial = now_is;
  return now_is == seen ? Refuse(SLUICE_TIMEOUT, {}) : SLUICE_OK;
}

sluice_status sluice_knob_request(sluice_segment* segment, uint32_t knob, int64_t value) {
  if (segment == nullptr) return NoSegment();
  KnobCell* cell = segment->view.knob(knob);
  if (cell == nullptr) return NoSuch("knob", knob);
  if (value < cell->min || value > cell->max) return Refuse(SLUICE_INVALID, "out of the knob's range");
  cell->requested.store(value, std::memory_order_release);
  sluice::WakeFutex(segment->view.header().knob_futex);
  return SLUICE_OK;
}

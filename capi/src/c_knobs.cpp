#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "c_segment.h"
#include "c_status.h"
#include "sluice/base/clock.h"

using sluice::HeldBecause;
using sluice::capi::NoSegment;
using sluice::capi::NoSuch;
using sluice::capi::Refuse;
using sluice::segment::KnobCell;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

uint32_t* Word(std::atomic<uint32_t>& word) {
  return reinterpret_cast<uint32_t*>(&word);
}

// Not FUTEX_PRIVATE: the other side is another process. Comes back early now and then.
void Sleep(std::atomic<uint32_t>& word, uint32_t while_it_is, int64_t ns) {
  const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
  syscall(SYS_futex, Word(word), FUTEX_WAIT, while_it_is, &timeout, nullptr, 0);
}

void Announce(std::atomic<uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, Word(word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

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
  sluice::segment::Add(cell->generation, 1);
  return SLUICE_OK;
}

sluice_status sluice_knob_hold(sluice_segment* segment, uint32_t knob, int because) {
  if (segment == nullptr) return NoSegment();
  KnobCell* cell = segment->view.knob(knob);
  if (cell == nullptr) return NoSuch("knob", knob);
  if (because < SLUICE_NOT_HELD || because > SLUICE_HELD_FAILED)
    return NoSuch("reason", static_cast<uint32_t>(because));
  cell->held.store(static_cast<uint32_t>(because), std::memory_order_release);
  return SLUICE_OK;
}

const uint32_t* sluice_knob_serial(const sluice_segment* segment) {
  return segment == nullptr ? nullptr : Word(segment->view.header().knob_futex);
}

sluice_status sluice_knob_wait(const sluice_segment* segment, uint32_t seen, int64_t timeout,
                               uint32_t* serial) {
  if (segment == nullptr) return NoSegment();
  auto& word = segment->view.header().knob_futex;
  const int64_t until = sluice_now() + std::clamp<int64_t>(timeout, 0, int64_t{3600} * 1'000'000'000);
  uint32_t now_is = word.load(std::memory_order_acquire);
  for (int64_t left = until - sluice_now(); now_is == seen && left > 0; left = until - sluice_now()) {
    Sleep(word, seen, left);
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
  Announce(segment->view.header().knob_futex);
  return SLUICE_OK;
}

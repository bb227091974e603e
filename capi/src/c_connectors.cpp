#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "c_segment.h"
#include "c_status.h"
#include "sluice/probes/intervals.h"

using sluice::capi::NoSegment;
using sluice::capi::NoSuch;
using sluice::capi::NotBefore;
using sluice::probes::segment::ConnectorEntry;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int kTries = 200;  // a yield each: the holder needs well below a microsecond

// Held while the times of a connector are brought up to date. A holder that died loses it; one that is
// merely off its core keeps it, and the caller goes without: counts are atomic, and the times are brought up
// to date by whoever comes next.
class TimesLock {
 public:
  explicit TimesLock(ConnectorEntry& entry) : entry_(entry), held_(Take()) {}
  TimesLock(const TimesLock&) = delete;
  TimesLock& operator=(const TimesLock&) = delete;
  ~TimesLock() {
    if (held_) entry_.lock.store(0, std::memory_order_release);
  }
  [[nodiscard]] bool held() const { return held_; }

 private:
  bool TakeFrom(uint32_t owner) {
    return entry_.lock.compare_exchange_strong(owner, static_cast<uint32_t>(getpid()),
                                               std::memory_order_acquire);
  }
  bool Take() {
    for (int i = 0; i < kTries; ++i) {
      if (TakeFrom(0)) return true;
      sched_yield();
    }
    const uint32_t owner = entry_.lock.load(kRelaxed);
    const bool dead = owner != 0 && kill(static_cast<pid_t>(owner), 0) != 0 && errno == ESRCH;
    return dead && TakeFrom(owner);
  }

  ConnectorEntry& entry_;
  const bool held_;
};

// What is in and not out yet, whatever somebody else has written there.
int64_t Difference(uint64_t in, uint64_t out) {
  return in > out ? static_cast<int64_t>(std::min<uint64_t>(in - out, INT64_MAX)) : 0;
}

int64_t Waiting(const ConnectorEntry& entry) {
  const uint64_t popped = entry.popped.load(std::memory_order_acquire);
  return Difference(entry.pushed.load(std::memory_order_acquire), popped);
}

int64_t WaitingBytes(const ConnectorEntry& entry) {
  const uint64_t popped = entry.popped_bytes.load(kRelaxed);
  return Difference(entry.pushed_bytes.load(kRelaxed), popped);
}

void SetFull(ConnectorEntry& entry, bool full, int64_t now) {
  const int64_t since = entry.full_since.load(kRelaxed);
  if (full == (since != 0)) return;
  entry.full_since.store(full ? now : 0, std::memory_order_release);
  if (!full && now > since)
    sluice::probes::segment::AddAfter(entry.full_ns, sluice::probes::segment::Between(since, now));
}

void BringUpToDate(ConnectorEntry& entry, int64_t now) {
  const TimesLock lock(entry);
  if (!lock.held()) return;
  const int64_t changed = entry.changed.load(kRelaxed);
  now = NotBefore(now, changed);
  // Its last holder died between two stores.
  if (changed == sluice::probes::segment::kNoneOpen) entry.changed.store(now, std::memory_order_release);
  const int64_t depth = Waiting(entry), capacity = entry.capacity.load(kRelaxed);
  sluice::probes::segment::SetDepth(entry, static_cast<uint64_t>(depth), now);
  SetFull(entry, capacity > 0 && depth >= capacity, now);
  if (static_cast<uint64_t>(depth) > entry.high_water.load(kRelaxed))
    entry.high_water.store(static_cast<uint64_t>(depth), kRelaxed);
}

uint64_t MeanBytes(const ConnectorEntry& entry, uint64_t items) {
  const int64_t waiting = Waiting(entry);
  if (waiting <= 0) return 0;
  return static_cast<uint64_t>(WaitingBytes(entry)) / static_cast<uint64_t>(waiting) * items;
}

}  // namespace

sluice_status sluice_push(sluice_segment* segment, uint32_t connector, uint64_t items, uint64_t bytes,
                          int64_t now) {
  if (segment == nullptr) return NoSegment();
  ConnectorEntry* entry = segment->view.connector(connector);
  if (entry == nullptr) return NoSuch("connector", connector);
  entry->pushed_bytes.fetch_add(bytes, kRelaxed);
  entry->pushed.fetch_add(items, std::memory_order_release);
  BringUpToDate(*entry, now);
  return SLUICE_OK;
}

sluice_status sluice_pop(sluice_segment* segment, uint32_t connector, uint64_t items, int64_t bytes,
                         int64_t now) {
  if (segment == nullptr) return NoSegment();
  ConnectorEntry* entry = segment->view.connector(connector);
  if (entry == nullptr) return NoSuch("connector", connector);
  entry->popped_bytes.fetch_add(bytes < 0 ? MeanBytes(*entry, items) : static_cast<uint64_t>(bytes),
                                kRelaxed);
  entry->popped.fetch_add(items, std::memory_order_release);
  BringUpToDate(*entry, now);
  return SLUICE_OK;
}

sluice_status sluice_drain(sluice_segment* segment, uint32_t connector, int64_t now) {
  if (segment == nullptr) return NoSegment();
  ConnectorEntry* entry = segment->view.connector(connector);
  if (entry == nullptr) return NoSuch("connector", connector);
  entry->popped_bytes.fetch_add(static_cast<uint64_t>(WaitingBytes(*entry)), kRelaxed);
  entry->popped.fetch_add(static_cast<uint64_t>(Waiting(*entry)), std::memory_order_release);
  BringUpToDate(*entry, now);
  return SLUICE_OK;
}

sluice_status sluice_set_capacity(sluice_segment* segment, uint32_t connector, int64_t capacity,
                                  int64_t now) {
  if (segment == nullptr) return NoSegment();
  ConnectorEntry* entry = segment->view.connector(connector);
  if (entry == nullptr) return NoSuch("connector", connector);
  entry->capacity.store(std::max<int64_t>(capacity, 0), kRelaxed);
  BringUpToDate(*entry, now);
  return SLUICE_OK;
}

sluice_status sluice_depth(const sluice_segment* segment, uint32_t connector, int64_t* items,
                           int64_t* bytes) {
  if (segment == nullptr) return NoSegment();
  const ConnectorEntry* entry = segment->view.connector(connector);
  if (entry == nullptr) return NoSuch("connector", connector);
  if (items != nullptr) *items = Waiting(*entry);
  if (bytes != nullptr) *bytes = WaitingBytes(*entry);
  return SLUICE_OK;
}

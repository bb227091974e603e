#include "connector.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sluice/base/check.h"
#include "sluice/probes/intervals.h"

namespace sluice::runtime {
namespace {

using probes::segment::Add;

void Set(probes::segment::Gauge& gauge, std::int64_t value) {
  gauge.store(value, std::memory_order_relaxed);
}

}  // namespace

Connector::Connector(probes::segment::ConnectorEntry& entry, std::uint64_t capacity, int workers,
                     bool ordered, MonoTime now)
    : ordered_(ordered),
      entry_(entry),
      ring_(std::bit_ceil(capacity + static_cast<std::uint64_t>(workers) - 1)),
      capacity_(capacity),
      workers_(static_cast<std::uint64_t>(workers)) {
  SLUICE_CHECK(capacity >= 1 && workers >= 1);
  Set(entry_.capacity, static_cast<std::int64_t>(capacity));
  Set(entry_.changed, now.count());
}

std::uint64_t Connector::RoomOrWait(MonoTime now) {
  MutexLock lock(mutex_);
  const std::uint64_t room = Room();
  if (room == 0) {
    producer_waits_ = true;
    AccountRoom(now);
  }
  return room;
}

std::uint64_t Connector::Reserve(std::uint64_t count) {
  MutexLock lock(mutex_);
  const std::uint64_t first = std::exchange(reserved_, reserved_ + count);
  UpdateLooks();
  return first;
}

Connector::Published Connector::Publish(std::uint64_t first, std::span<Unit> units, MonoTime now,
                                        bool quiet) {
  MutexLock lock(mutex_);
  std::uint64_t ticket = ordered_ ? first : filled_;
  const std::uint64_t place = ticket;
  std::int64_t bytes = 0;
  for (Unit& unit : units) {
    Slot& slot = At(ticket++);
    SLUICE_CHECK(!slot.ready);
    bytes += unit.item.Held().count;
    slot.item = std::move(unit.item);
    slot.ready = true;
  }
  if (!ordered_) filled_ = ticket;
  Account(static_cast<std::int64_t>(units.size()), now);
  Add(entry_.pushed, units.size());
  Add(entry_.pushed_bytes, static_cast<std::uint64_t>(bytes));
  if (quiet || !NextReady()) return {.first = place};
  return {place, depth_, std::exchange(consumer_waits_, false), 2 * depth_ >= capacity_};
}

bool Connector::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  UpdateLooks();
  return std::exchange(consumer_waits_, false);
}

std::uint64_t Connector::InFlight() const {
  MutexLock lock(mutex_);
  return reserved_ - head_ - depth_;
}

Connector::Popped Connector::Settle(std::uint64_t taken, std::int64_t bytes, bool dry, MonoTime now) {
  if (taken > 0) {
    Account(-static_cast<std::int64_t>(taken), now);
    AccountRoom(now);
    Add(entry_.popped, taken);
    Add(entry_.popped_bytes, static_cast<std::uint64_t>(bytes));
  } else if (dry) {
    consumer_waits_ = true;
  }
  const bool left = taken > 0 && NextReady();
  const bool others_wait = left && std::exchange(consumer_waits_, false);
  return {taken,           left ? depth_ : 0, Room(),
          producer_waits_, others_wait,       dry && closed_ && head_ == reserved_};
}

bool Connector::TakeWaitingProducer() {
  MutexLock lock(mutex_);
  return Room() > 0 && std::exchange(producer_waits_, false);
}

bool Connector::HasRoom() const {
  MutexLock lock(mutex_);
  return !closed_ && Room() > 0;
}

bool Connector::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

void Connector::SetCapacity(std::uint64_t capacity, MonoTime now) {
  SLUICE_CHECK(capacity >= 1);
  MutexLock lock(mutex_);
  capacity_ = capacity;
  Set(entry_.capacity, static_cast<std::int64_t>(capacity));
  Grow();
  AccountRoom(now);
  UpdateLooks();
}

void Connector::SetWorkers(int workers, MonoTime now) {
  SLUICE_CHECK(workers >= 1);
  MutexLock lock(mutex_);
  workers_ = static_cast<std::uint64_t>(workers);
  Grow();
  AccountRoom(now);
  UpdateLooks();
}

std::uint64_t Connector::capacity() const {
  MutexLock lock(mutex_);
  return capacity_;
}

void Connector::Clear() {
  MutexLock lock(mutex_);
  for (Slot& slot : ring_) slot = {};
  depth_ = 0;
  head_ = filled_ = reserved_;
  UpdateLooks();
}

// Never shrinks: tickets that are out keep their places.
void Connector::Grow() {
  const std::uint64_t size = std::bit_ceil(Window());
  if (size <= ring_.size()) return;
  std::vector<Slot> larger(size);
  for (std::uint64_t t = head_; t < reserved_; ++t) larger[t & (size - 1)] = std::move(At(t));
  ring_ = std::move(larger);
}

// Callers' clocks were read before they got the lock, so time may seem to step back; such steps count as
// none.
void Connector::Account(std::int64_t delta, MonoTime now) {
  depth_ += static_cast<std::uint64_t>(delta);
  probes::segment::SetDepth(entry_, depth_,
                            std::max(now.count(), entry_.changed.load(std::memory_order_relaxed)));
  UpdateLooks();
  if (depth_ > entry_.high_water.load(std::memory_order_relaxed)) entry_.high_water.store(depth_);
}

void Connector::UpdateLooks() {
  looks_ready_.store(NextReady() || (closed_ && head_ == reserved_));
  looks_roomy_.store(Room() > 0);
}

void Connector::AccountRoom(MonoTime now) {
  const std::int64_t since = entry_.full_since.load(std::memory_order_relaxed);
  const bool full = Room() == 0;
  if (full && since == 0) {
    Set(entry_.full_since, now.count());
  } else if (!full && since != 0) {
    Set(entry_.full_since, 0);
    Add(entry_.full_ns, static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.count() - since)));
  }
}

}  // namespace sluice::runtime

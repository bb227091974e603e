// Connector: the bounded, order-keeping buffer between two ops: a ring indexed by ticket.
//
// The producing op reserves tickets in the order it takes its own input, and publishes results under these
// tickets in any order; the consuming side pops in ticket order. So the order does not depend on how many
// workers produce. Room is checked when a ticket is reserved, never when a finished item arrives: a worker
// that holds an item can always put it down, and the oldest item can never be locked out.
//
// Capacity counts finished items; each producing worker beyond the first may have one more in the making,
// so at most capacity + workers - 1 tickets are out.
//
// Thread-safe. One op reserves (under its own claim lock), any worker publishes, one side pops.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "op_logic.h"
#include "sluice/base/mutex.h"
#include "sluice/base/units.h"
#include "sluice/probes/segment_layout.h"
#include "sluice/runtime/item.h"

namespace sluice::runtime {

class Connector {
 public:
  // `entry` gets the counters; it must outlive the connector.
  Connector(probes::segment::ConnectorEntry& entry, std::uint64_t capacity, int workers, bool ordered,
            MonoTime now);

  // Producing side.
  // Free tickets. 0 also notes that the producer waits for room (see Popped::producer_waits).
  [[nodiscard]] std::uint64_t RoomOrWait(MonoTime now);
  // The first of `count` tickets. REQUIRES count <= the room last seen.
  [[nodiscard]] std::uint64_t Reserve(std::uint64_t count);
  // Puts the units' items under tickets first, first + 1, ...; unordered connectors take the next free places
  // instead. Says how many items now wait (0 while the next in order is missing), and whether the consuming
  // side had run dry and can go on now.
  struct Published {
    std::uint64_t first = 0;  // the place of the first of these items in the order that they are popped in
    std::uint64_t depth = 0;
    bool consumer_waits = false;
    bool half_full = false;
  };
  // `quiet`: a consuming thread publishes for itself; the note of others that wait is left to its next Pop.
  [[nodiscard]] Published Publish(std::uint64_t first, std::span<Unit> units, MonoTime now,
                                  bool quiet = false);
  // No tickets beyond those reserved will follow. Returns whether the consuming side waits.
  bool Close();
  // Tickets reserved but not published.
  [[nodiscard]] std::uint64_t InFlight() const;

  // Consuming side.
  struct Popped {
    std::uint64_t taken = 0;
    std::uint64_t left = 0;       // items ready behind those taken
    std::uint64_t room = 0;       // free tickets now
    bool producer_waits = false;  // it found no room before; stays set until TakeWaitingProducer
    bool others_wait = false;     // items are left, and somebody had found none before
    bool closed = false;          // nothing left and nothing will come
    std::uint64_t first = 0;      // the place of the first item taken, counted from 0
  };
  // Hands up to `limit` items that are next in order to `take(Item&)`, under the connector's lock, until it
  // returns false: that item stays. When there is none, notes that the consuming side waits (see
  // Published::consumer_waits).
  template <typename Take>
  [[nodiscard]] Popped Pop(std::uint64_t limit, MonoTime now, Take&& take) {
    MutexLock lock(mutex_);
    const std::uint64_t first = head_;
    std::uint64_t taken = 0;
    std::int64_t bytes = 0;
    const bool dry = !NextReady();
    for (; taken < limit && NextReady(); ++taken, ++head_) {
      Slot& slot = At(head_);
      const std::int64_t held = slot.item.Held().count;
      if (!take(slot.item)) break;
      bytes += held;
      slot.ready = false;
      if (slot.item.buffer) slot.item.buffer.reset();  // not wanted; its memory is
      if (slot.item.extras != nullptr) slot.item.extras.reset();
    }
    Popped popped = Settle(taken, bytes, dry, now);
    popped.first = first;
    return popped;
  }
  // Whether the producer found no room before and there is some now. Forgets that it waits: the caller
  // wakes it.
  [[nodiscard]] bool TakeWaitingProducer();
  [[nodiscard]] bool HasRoom() const;  // and is not closed
  [[nodiscard]] bool closed() const;
  // The next item in order, or the end, was there a moment ago; there was room: without the lock.
  // Sequentially consistent: see Stage::ParkAndWait.
  [[nodiscard]] bool LooksReady() const { return looks_ready_.load(); }
  [[nodiscard]] bool LooksRoomy() const { return looks_roomy_.load(); }

  // Live changes; a producer that waits may have room now (TakeWaitingProducer).
  void SetCapacity(std::uint64_t capacity, MonoTime now);
  void SetWorkers(int workers, MonoTime now);
  [[nodiscard]] std::uint64_t capacity() const;

  // Drops all items, for an early stop.
  void Clear();

 private:
  struct Slot {
    Item item;
    bool ready = false;
  };
  [[nodiscard]] std::uint64_t Window() const REQUIRES(mutex_) { return capacity_ + workers_ - 1; }
  [[nodiscard]] std::uint64_t Room() const REQUIRES(mutex_) {
    const std::uint64_t out = reserved_ - head_;
    return out < Window() ? Window() - out : 0;
  }
  [[nodiscard]] bool NextReady() const REQUIRES(mutex_) {
    return head_ < reserved_ && ring_[head_ & (ring_.size() - 1)].ready;
  }
  [[nodiscard]] Slot& At(std::uint64_t ticket) REQUIRES(mutex_) { return ring_[ticket & (ring_.size() - 1)]; }
  [[nodiscard]] Popped Settle(std::uint64_t taken, std::int64_t bytes, bool dry, MonoTime now)
      REQUIRES(mutex_);
  void Grow() REQUIRES(mutex_);
  void Account(std::int64_t delta, MonoTime now) REQUIRES(mutex_);
  void UpdateLooks() REQUIRES(mutex_);
  void AccountRoom(MonoTime now) REQUIRES(mutex_);

  const bool ordered_;
  std::atomic<bool> looks_ready_{false};
  std::atomic<bool> looks_roomy_{true};
  probes::segment::ConnectorEntry& entry_;
  mutable Mutex mutex_;
  std::vector<Slot> ring_ GUARDED_BY(mutex_);      // size is a power of two, at least Window()
  std::uint64_t head_ GUARDED_BY(mutex_) = 0;      // next ticket to pop
  std::uint64_t filled_ GUARDED_BY(mutex_) = 0;    // unordered: next place to fill
  std::uint64_t reserved_ GUARDED_BY(mutex_) = 0;  // next ticket to give out
  std::uint64_t depth_ GUARDED_BY(mutex_) = 0;     // published, not popped
  std::uint64_t capacity_ GUARDED_BY(mutex_);
  std::uint64_t workers_ GUARDED_BY(mutex_);
  bool consumer_waits_ GUARDED_BY(mutex_) = false;
  bool producer_waits_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace sluice::runtime

// ConsumerBell: wakes the consumer when items wait for it. Waking a sleeping thread costs both sides tens of
// microseconds; a consumer that takes less than that for an item is better woken for a few at once. Such a
// wake-up is owed until enough items wait, or a worker is about to sleep, whichever comes first: an item
// never waits for longer than somebody else works, and the consumer catches up in less time than a wake-up
// takes.
//
// Thread-safe; Await belongs to the consumer.
#pragma once
#include <atomic>
#include <cstdint>

#include "connector.h"
#include "sluice/base/mutex.h"

namespace sluice::runtime {

class ConsumerBell {
 public:
  void Published(const Connector::Published& published) {
    if (!published.consumer_waits && !owed_.load(std::memory_order_relaxed)) return;
    const bool enough = published.depth >= kGather || published.half_full;
    if (enough || !patient_.load(std::memory_order_relaxed)) {
      Ring();
    } else {
      owed_.store(true);
    }
  }
  // A worker is about to sleep.
  void Flush() {
    if (owed_.load(std::memory_order_relaxed)) Ring();
  }
  void Ring() {
    owed_.store(false);
    MutexLock lock(mutex_);
    rung_ = true;
    changed_.NotifyAll();
  }
  // Sleeps until it has rung since the last call.
  void Await() {
    MutexLock lock(mutex_);
    while (!rung_) changed_.Wait(mutex_);
    rung_ = false;
  }
  // Whether the consumer takes less time for an item than a wake-up costs.
  void SetPatient(bool patient) { patient_.store(patient, std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kGather = 4;  // items
  std::atomic<bool> patient_{false};
  std::atomic<bool> owed_{false};
  Mutex mutex_;
  CondVar changed_;
  bool rung_ GUARDED_BY(mutex_) = false;
};

}  // namespace sluice::runtime

// Ticker: the pace of the lap: ticks a period apart; one that is late is not made up for.
//
// Thread-safe; Wait belongs to the one who goes by it.
#pragma once
#include <algorithm>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/units.h"

namespace sluice::app {

class Ticker {
 public:
  explicit Ticker(Nanos period) : period_(period) {}

  // Sleeps until the next tick. False: there is none, it has been stopped.
  bool Wait() {
    const MutexLock lock(mutex_);
    next_ = std::max(next_ + period_, MonoNow());
    while (!stopped_ && MonoNow() < next_) changed_.WaitFor(mutex_, next_ - MonoNow());
    return !stopped_;
  }
  // Until the tick that Wait would sleep for; 0: that returns at once.
  Nanos Left() {
    const MutexLock lock(mutex_);
    return stopped_ ? Nanos(0) : std::max(next_ + period_ - MonoNow(), Nanos(0));
  }
  // Ends a Wait, now or to come.
  void Stop() {
    const MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }

 private:
  const Nanos period_;
  Mutex mutex_;
  CondVar changed_;
  MonoTime next_ GUARDED_BY(mutex_) = MonoNow();
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace sluice::app

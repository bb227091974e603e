// Pace: how much CPU time the workers of a pipeline may take per second, together. Whoever has worked is told
// how long to rest, so that a quota is not used up at once and then held against every thread of its group,
// the trainer's among them.
//
// Items are never cut short: what one has taken too much is rested for afterwards. What was not taken is
// there later, but not for long (the generic cell rate algorithm, ITU-T I.371). Thread-safe.
#pragma once
#include <atomic>
#include <cstdint>

#include "sluice/base/units.h"

namespace sluice::runtime {

class Pace {
 public:
  // Cores that may be busy; 0: as many as there are.
  void Set(double cores) { cores_.store(cores, std::memory_order_relaxed); }
  [[nodiscard]] bool limited() const { return cores_.load(std::memory_order_relaxed) > 0; }
  // A worker has computed for so long, until `now`. How long it is to rest.
  [[nodiscard]] Nanos Charge(Nanos spent, MonoTime now);

 private:
  std::atomic<double> cores_{0};
  std::atomic<std::int64_t> paid_until_{0};  // monotonic
};

}  // namespace sluice::runtime

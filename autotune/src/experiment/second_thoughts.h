// SecondThoughts: what may still be tried while the controller rests: a plan that was made early and that
// better estimates improve clearly, and, much later, what only an optimist would try. One thread.
#pragma once
#include <optional>

#include "observe/rate_windows.h"
#include "propose/planner.h"

namespace sluice::autotune {

class SecondThoughts {
 public:
  explicit SecondThoughts(const AutoTuneSettings& settings) : settings_(settings) {}

  // To be asked at every look of a rest, `starved`: share of the consumer's time. True once a clear gain has
  // been seen for some looks in a row.
  [[nodiscard]] bool SeesAClearGain(const Planner& planner, const RateSummary& measured, double starved);
  // One worker more than was ever tried of an op that slows itself down; nullopt: nothing to try, or not yet.
  [[nodiscard]] std::optional<Plan> Explore(const Planner& planner, MonoTime now, MonoTime quiet_since);
  void Reopen();  // conditions have shifted: what was tried is void

 private:
  AutoTuneSettings settings_;
  int looks_ = 0;  // in a row that saw a gain
  std::optional<MonoTime> explored_;
};

}  // namespace sluice::autotune

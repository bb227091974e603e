// SecondThoughts: while the controller rests, whether better estimates clearly improve a plan that was made
// early. One thread.
#pragma once
#include <cstddef>
#include <vector>

#include "all_settings.h"
#include "observe/rate_windows.h"
#include "propose/planner.h"

namespace sluice::autotune {

class SecondThoughts {
 public:
  explicit SecondThoughts(const AutoTuneSettings& settings) : settings_(settings) {}

  // To be asked at every look of a rest, `measured` in `phase`, `starved`: share of the consumer's time. True
  // once a clear gain has been seen for some looks in a row, of one phase: others between them tell nothing.
  [[nodiscard]] bool SeesAClearGain(const Planner& planner, std::size_t phase, const RateSummary& measured,
                                    double starved);
  void Reopen();  // conditions have shifted: what was tried is void

 private:
  AutoTuneSettings settings_;
  std::vector<int> looks_;  // per phase, in a row that saw a gain
};

}  // namespace sluice::autotune

// Stretches and windows: the time of a run cut into pieces that can be compared with the optimum.
#pragma once
#include <vector>

#include "sluice/evaluation/run_record.h"

namespace sluice {

struct ShareWindow {
  double from = 0;  // seconds since the start
  double to = 0;
  double items = 0;  // consumer items, before the window's end, since the start
  double share = 0;  // X / X*
};

// The time between two events.
struct Stretch {
  double from = 0;
  double to = 0;
  Optimum optimum;
  std::vector<ShareWindow> windows;
};

// One stretch per optimum that the run has lived to see.
[[nodiscard]] std::vector<Stretch> StretchesOf(const SimScenario& scenario, const RunRecord& run,
                                               const std::vector<Optimum>& optima);

// Relative standard deviation of the shares from `since` on.
[[nodiscard]] double Deviation(const Stretch& stretch, double since);

// The first window of the stretch from which on the shares stay at 0.95: the mean of it and the next ones,
// and each but for `noise`, the plant's own. nullptr: none.
[[nodiscard]] const ShareWindow* Arrival(const Stretch& stretch, double noise);

}  // namespace sluice

// Stretches and windows: the time of a run cut into pieces that can be compared with the optimum.
// Immutable functions.
#pragma once
#include <vector>

#include "sluice/evaluation/run_record.h"

namespace sluice::evaluation {

struct ShareWindow {
  double from = 0;  // seconds since the start
  double to = 0;
  double share = 0;         // X / X*
  double core_seconds = 0;  // used by one rank
};

// The time between two events.
struct Stretch {
  double from = 0;
  double to = 0;
  simulator::Optimum optimum;
  std::vector<ShareWindow> windows;
};

// One stretch per optimum that the run has lived to see. A window that is still not full after ten times
// what the optimum needs ends all the same; an unfinished one at the end counts if the optimum would have
// filled it.
[[nodiscard]] std::vector<Stretch> StretchesOf(const simulator::SimScenario& scenario, const RunRecord& run,
                                               const std::vector<simulator::Optimum>& optima);

// Standard deviation of the shares from `since` on.
[[nodiscard]] double Deviation(const Stretch& stretch, double since);

// The first window of the stretch from which on the shares stay at 0.95 for ten windows (all that there are
// at the stretch's end, if these are at least ten or half of all): the mean of them, and each but for the
// plant's own `noise`. nullptr: none.
[[nodiscard]] const ShareWindow* Arrival(const Stretch& stretch, double noise);

}  // namespace sluice::evaluation

// tf.data's searches over its model: HILL_CLIMB, MAX_PARALLELISM, STAGE_BASED. Each sets the nodes'
// parallelism and starts from the least. Immutable functions. docs/baselines.md, "tf.data".
#pragma once
#include "tfdata_model.h"

namespace sluice::baselines {

struct TfBudget {
  double cores = 1;
  double bytes = 0;  // 0: no limit known
};

// +1 to the parameter with the greatest drop of the output time until all are at their most, the bytes are
// over (then one step back) or, unless `to_the_most`, the output time is below processing time / cores.
void HillClimb(TfDataModel& model, const TfBudget& budget, bool to_the_most);

// +1 to the slowest stage until it takes at most `target` seconds per final element, or cannot get
// faster. False where the bytes would be over: then nothing is to be applied at all.
[[nodiscard]] bool StageBased(TfDataModel& model, const TfBudget& budget, double target);

}  // namespace sluice::baselines

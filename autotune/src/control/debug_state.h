// DebugState: every estimate of the controller as a named column, so that a decision can be plotted against
// what was believed when it was made. docs/controller.md lists the columns. Immutable functions.
#pragma once
#include <vector>

#include "control/states.h"
#include "sluice/autotune/controller.h"

namespace sluice::autotune {

// `measured`: of what is in force, or on trial.
[[nodiscard]] std::vector<Belief> ColumnsOf(const Knowledge& known, const State& state,
                                            const RateSummary& measured);

}  // namespace sluice::autotune

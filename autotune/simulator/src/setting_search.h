// The best setting of a scenario, by simulating those that come into question: from several starting points,
// one knob after the other, up and down. Bounded in its cost. Pure function.
#pragma once
#include <span>

#include "fluid.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

enum class SearchEffort : std::uint8_t {
  kStarts,  // only compares the starting points
  kFull,
};

// `fluid`: the optimum of `problem`, which `scenario` is from fluid.from on. As it was where its plain
// setting makes as much, but for the noise of measuring, or where no setting fits into the memory. `known`:
// settings found for other times, to start from as well.
[[nodiscard]] Optimum BestFound(const SimScenario& scenario, const FluidProblem& problem, Optimum fluid,
                                std::span<const SimSetting> known, SearchEffort effort);

}  // namespace sluice::simulator

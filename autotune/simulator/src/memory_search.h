// MemorySearch: the best of the settings that fit into the memory, by simulating them. Pure functions.
#pragma once
#include "fluid.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

// `fluid`: the optimum of `problem`, which `scenario` is from fluid.from on; never exceeded. As it was where
// no setting that is tried fits, or so many ops hold bytes that a few hundred settings say nothing.
[[nodiscard]] Optimum BestInMemory(const SimScenario& scenario, const FluidProblem& problem, Optimum fluid);

}  // namespace sluice::simulator

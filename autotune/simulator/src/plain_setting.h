// The setting that an optimum asks for when nothing has been searched: its workers, some to spare, and room
// for half a second of its items. Pure function.
#pragma once
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

// Within the bounds of the knobs; what is pinned stays.
[[nodiscard]] SimSetting PlainSetting(const SimScenario& scenario, const Optimum& optimum);

}  // namespace sluice::simulator

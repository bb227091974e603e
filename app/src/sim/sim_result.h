// One simulated run beside the oracle, and the report of it. Functions without state.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/sim_session.h"
#include "sluice/autotune/controller.h"
#include "sluice/exporters/sim_report.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::app {

// With the ops by name.
[[nodiscard]] std::vector<exporters::SimOptimum> OptimaOf(const std::vector<simulator::Optimum>& optima,
                                                          const simulator::SimScenario& scenario);

// Runs it beside the oracle. `reachable`: ReachableOptima(scenario); `controller_name`: for the report;
// `session`: sees all of it, too; null: none. REQUIRES Validate(scenario).
[[nodiscard]] exporters::SimReport Simulate(const simulator::SimScenario& scenario,
                                            const std::vector<simulator::Optimum>& reachable,
                                            autotune::Controller& controller,
                                            const std::string& controller_name, std::uint64_t seed,
                                            SimSession* session = nullptr);

}  // namespace sluice::app

// RunRecord: what one controller did to one simulated scenario, and what came of it, as a plain value.
// From the plant's truth, without noise of measuring: a controller is judged by what happened, not by what
// it saw.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sluice/autotune/controller.h"
#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {

// One tick of the loop; what is counted is counted since the tick before.
struct RunTick {
  Nanos at{0};                    // its end, since the start
  std::uint64_t items = 0;        // taken by the consumer
  double core_seconds = 0;        // of one rank
  double memory_share = 0;        // greatest share of the byte budget that was buffered; 0 without a budget
  int workers = 0;                // of all ops, at its end
  Limit limit = Limit::kUnknown;  // what the controller said was the limit
  std::optional<std::uint32_t> limit_op;
};

struct RunRecord {
  std::vector<RunTick> ticks;
  std::vector<Decision> decisions;  // those that changed something; `at` is time since the start
  int ooms = 0;                     // how often the run was killed
  std::vector<int> workers;         // at the end, per op
  std::vector<std::int64_t> capacity;
};

// Called at every tick with what was sensed and what was decided.
using RunObserver = std::function<void(const Snapshot&, const Decision&)>;

// Runs the scenario for its duration, or until its last epoch ends. `controller` null: nothing is changed.
// REQUIRES Validate(scenario).
[[nodiscard]] RunRecord RunSimulated(const simulator::SimScenario& scenario, autotune::Controller* controller,
                                     std::uint64_t seed, const RunObserver& observer = nullptr);

// Sets what the optima ask for, at the start and at each event: what is physically reachable. Not a
// controller that anybody could have, since it knows the scenario. `optima`: ReachableOptima(scenario).
[[nodiscard]] std::unique_ptr<autotune::Controller> MakeOracle(const simulator::SimScenario& scenario,
                                                               const std::vector<simulator::Optimum>& optima);

}  // namespace sluice::evaluation

// What is wrong with a scenario, as a value: Validate() makes a sentence of it, the reader of files adds the
// line. Pure functions.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

enum class SimPart { kTop, kOp, kConsumer, kStorage, kMachine, kEvent };

struct SimProblem {
  SimPart part = SimPart::kTop;
  std::size_t index = 0;  // of the op or event
  std::string field;      // named as in a file; empty: the part as a whole
  std::string message;
};

[[nodiscard]] std::optional<SimProblem> FindSimProblem(const SimScenario& scenario);

}  // namespace sluice::simulator

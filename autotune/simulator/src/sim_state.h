// What events make of a scenario: the values in force at a time. Pure functions.
#pragma once
#include <vector>

#include "sluice/base/units.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

struct SimState {
  std::vector<double> cost;  // factor per op
  double cores = 1;          // the host's budget, as a controller is told
  double neighbour = 0;      // of these, taken by somebody else
  double step = 1;           // factor on the consumer's time
  Bytes memory{0};           // byte budget of one rank; 0: none

  // What all ranks really have, never nothing.
  [[nodiscard]] double FreeCores() const;

  friend bool operator==(const SimState&, const SimState&) = default;
};

[[nodiscard]] SimState StateAt(const SimScenario& scenario, Nanos at);

}  // namespace sluice::simulator

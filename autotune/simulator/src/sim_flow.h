// SimFlow: how many items of what size flow where. Pure functions; REQUIRE inputs that are earlier ops.
#pragma once
#include <cstdint>
#include <vector>

#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

// Items of every op per epoch. A zip ends with its shortest input.
[[nodiscard]] std::vector<double> ItemsPerEpoch(const SimScenario& scenario);
// Bytes of what one item of every op is made from, and of the item itself.
struct SimSize {
  double in = 0;
  double out = 0;
};
[[nodiscard]] std::vector<SimSize> SizesOf(const SimScenario& scenario);

// A part of an epoch in which the same ops work: all of it, or one input's turn at a concat.
struct SimPhase {
  double share = 1;            // of the epoch's consumer items
  std::vector<double> visits;  // items of every op per consumer item; 0: it has nothing to do
};
[[nodiscard]] std::vector<SimPhase> PhasesOf(const SimScenario& scenario);

}  // namespace sluice::simulator

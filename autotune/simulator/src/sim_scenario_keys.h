// The keys of a simulated scenario's file, by section, for the test that holds scenarios/sim/README.md to
// them.
#pragma once
#include <string>
#include <vector>

namespace sluice::simulator {

struct SimSectionKeys {
  std::string section;  // its heading in scenarios/sim/README.md
  std::vector<std::string> keys;
};

[[nodiscard]] std::vector<SimSectionKeys> SimScenarioKeys();

}  // namespace sluice::simulator

// The keys of a scenario file, by section, for the test that holds scenarios/README.md to them.
#pragma once
#include <string>
#include <vector>

namespace sluice::runtime {

struct SectionKeys {
  std::string section;  // its heading in scenarios/README.md
  std::vector<std::string> keys;
};

[[nodiscard]] std::vector<SectionKeys> ScenarioKeys();

}  // namespace sluice::runtime

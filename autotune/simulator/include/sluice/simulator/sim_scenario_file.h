// A simulated scenario in TOML. scenarios/sim/README.md documents every key with type, unit and default;
// keys that a live scenario has too mean the same. Unknown keys, wrong types and impossible values are
// refused with file, line and, where one is near, the key that was meant.
#pragma once
#include <string>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

// Also validates. Pure; `file` is for messages only.
[[nodiscard]] Result<SimScenario> ParseSimScenario(std::string_view toml, std::string_view file);
[[nodiscard]] Result<SimScenario> LoadSimScenario(const std::string& path);

}  // namespace sluice::simulator

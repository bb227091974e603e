// [source] and [[op]] of a simulated scenario's file.
#pragma once
#include <string_view>

#include "sim_scenario_keys.h"
#include "sluice/simulator/sim_scenario.h"
#include "sluice/toml/toml_fields.h"

namespace sluice::simulator {

// Appends the op that the table describes. `source`: it is the [source].
[[nodiscard]] Result<void> ReadSimOp(const ::toml::table& table, std::string_view file, bool source,
                                     SimScenario& scenario);
void AppendSimOpKeys(std::vector<SimSectionKeys>& sections);

}  // namespace sluice::simulator

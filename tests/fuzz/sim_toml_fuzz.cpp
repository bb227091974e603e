// A simulated scenario of any bytes is read or refused: no exception, no crash, and what is read is valid
// and has a pipeline that can be drawn.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sluice/base/check.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = sluice::simulator::ParseSimScenario(text, "fuzz.toml");
  if (!scenario) {
    SLUICE_CHECK(scenario.error().message.starts_with("fuzz.toml:"));
    return 0;
  }
  SLUICE_CHECK(sluice::simulator::Validate(*scenario).has_value());
  SLUICE_CHECK(sluice::simulator::GraphOf(*scenario).ops.size() == scenario->ops.size());
  SLUICE_CHECK(sluice::simulator::SimItems(*scenario) > 0);
  return 0;
}

// Every controller that can be put before a simulated scenario, by name: ours, the published rules, and the
// two ends of the scale. Immutable functions.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/autotune/controller.h"
#include "sluice/base/error.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {

inline constexpr std::string_view kOurs = "sluice";    // AutoTune, as `sluice run` has it
inline constexpr std::string_view kNone = "none";      // leaves the start setting alone
inline constexpr std::string_view kOracle = "oracle";  // is told the optimum; nobody could have it

struct ControllerInfo {
  std::string name;
  std::string description;  // one line
};

// Ours first, then the baselines as in Baselines(), in a build for bench/ablate ours without each of its
// rules, then none and oracle.
[[nodiscard]] std::vector<ControllerInfo> Controllers();

// Only the oracle looks at the scenario; only rules that draw look at the seed. An unknown name is an error
// that names the nearest. REQUIRES Validate(scenario).
[[nodiscard]] Result<std::unique_ptr<autotune::Controller>> MakeController(
    std::string_view name, const simulator::SimScenario& scenario, std::uint64_t seed);

// The names in `list`, separated by commas, each once, in the order of Controllers(). Empty: all.
[[nodiscard]] Result<std::vector<std::string>> ControllerNames(std::string_view list);

}  // namespace sluice::evaluation

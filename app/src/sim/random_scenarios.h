// Scenarios by the seeds that they are made of at random. Runs the generator of the source tree; any thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::app {

struct SeedRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // of it, too
};

// "5000..5099"; nullopt: it is no range of seeds.
[[nodiscard]] std::optional<SeedRange> SeedRangeIn(std::string_view text);

// Seeds of which nobody looks at a single one (docs/evaluation.md): all of them, or an error that says so.
inline constexpr SeedRange kReserved{900000, 900299};
[[nodiscard]] Result<void> KeepsReserved(const SeedRange& range);

// As bench/random_scenarios makes them.
[[nodiscard]] Result<std::vector<simulator::SimScenario>> RandomScenarios(const SeedRange& range);

}  // namespace sluice::app

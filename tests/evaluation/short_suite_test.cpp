// Our controller on three shipped scenarios of which it must never lose sight; `sluice bench autotune` has
// the others.
#include <gtest/gtest.h>

#include <algorithm>

#include "sluice/evaluation/floors.h"
#include "sluice/evaluation/suite.h"
#include "sluice/simulator/sim_scenario_file.h"

namespace sluice {
namespace {

class ShortSuite : public ::testing::TestWithParam<const char*> {};

TEST_P(ShortSuite, HoldsToItsFloors) {
  auto scenario = LoadSimScenario(std::string(SLUICE_SIM_SCENARIOS "/") + GetParam() + ".toml");
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto result = RunSuite({{std::move(*scenario)}, {"sluice", "static", "cores"}, 3, 2});
  ASSERT_TRUE(result.has_value());
  const auto held = HoldTo(result->scenarios[0], 0);
  for (const char* name : {"final", "t95", "memory", "waste", "harm"}) {
    const auto floor = std::ranges::find(Floors(), name, &Floor::name) - Floors().begin();
    EXPECT_NE(held[static_cast<std::size_t>(floor)], Held::kMissed) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, ShortSuite,
                         ::testing::Values("demand_bound", "step_change", "single_bottleneck"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace sluice

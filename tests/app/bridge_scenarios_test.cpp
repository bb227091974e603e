// The scenarios of scenarios/bridge are run by real threads and by the simulator: both have to read the same.
#include <gtest/gtest.h>

#include <filesystem>

#include "sluice/runtime/scenario.h"
#include "sluice/simulator/sim_scenario_file.h"

namespace sluice::app {
namespace {

std::vector<std::filesystem::path> Bridging() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SCENARIOS "/bridge")) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  return paths;
}

void ExpectSame(const runtime::OpSpec& live, const simulator::SimOp& simulated) {
  EXPECT_EQ(live.workers, simulated.workers);
  EXPECT_EQ(live.capacity, simulated.capacity);
  EXPECT_EQ(runtime::IsSerial(live), simulated.serial);
  EXPECT_EQ(live.ordered, simulated.ordered);
  EXPECT_EQ(runtime::KindName(live), simulator::KindName(simulated.kind));
  const auto* costs = std::get_if<runtime::SyntheticSpec>(&live.what);
  if (costs == nullptr) return;
  EXPECT_EQ(costs->wait.value_or(Distribution{}).mean, simulated.wait.mean);
  EXPECT_EQ(costs->burn.value_or(Distribution{}).mean, simulated.burn.mean);
  EXPECT_EQ(costs->allocate, simulated.allocate);
}

TEST(BridgeScenarios, AreEnoughToCompareBy) {
  EXPECT_GE(Bridging().size(), 12u);
}

TEST(BridgeScenarios, MeanTheSameToRuntimeAndSimulator) {
  for (const auto& path : Bridging()) {
    SCOPED_TRACE(path);
    const auto live = runtime::LoadScenario(path);
    ASSERT_TRUE(live.has_value()) << live.error().message;
    const auto simulated = simulator::LoadSimScenario(path);
    ASSERT_TRUE(simulated.has_value()) << simulated.error().message;
    EXPECT_EQ(live->pipeline.name, path.stem());
    EXPECT_FALSE(live->summary.empty());
    EXPECT_EQ(live->cores, simulated->machine.cores) << "the defaults differ: the file has to say it";
    EXPECT_EQ(live->pipeline.memory, simulated->memory);
    EXPECT_EQ(live->consumer.step.mean, simulated->consumer.step.mean);
    EXPECT_EQ(runtime::OpNames(live->pipeline).size(), simulated->ops.size());
    for (std::size_t i = 0; i < simulated->ops.size(); ++i) {
      EXPECT_EQ(runtime::OpNames(live->pipeline)[i], simulated->ops[i].name);
      ExpectSame(live->pipeline.ops[i], simulated->ops[i]);
    }
  }
}

}  // namespace
}  // namespace sluice::app

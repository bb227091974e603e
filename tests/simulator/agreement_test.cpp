// Long runs at the optimum's settings deliver the optimum's rate: the simulator and the oracle are written
// apart and have to agree.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/scenarios.h"
#include "sluice/simulator/sim_scenario_file.h"

namespace sluice::simulator::testing {
namespace {

SimScenario Shipped(const std::string& name) {
  auto scenario = LoadSimScenario(SLUICE_SIM_SCENARIOS "/" + name + ".toml");
  EXPECT_TRUE(scenario.has_value()) << scenario.error().message;
  return scenario.value_or(Rows());
}

// How much of the optimum a run at the given settings reaches; noise and events taken out.
double ShareReached(SimScenario s, Spare spare = Spare::kYes, int capacity = 128) {
  s.machine.noise = 0;
  s.events.clear();
  const double rate = MeasuredRate(AtOptimum(s, spare, capacity), 10s, 60s);
  return rate / OptimumAt(s, Nanos(0)).rate.per_second;
}

class Agreement : public ::testing::TestWithParam<const char*> {};

TEST_P(Agreement, OfSimulatorAndOracle) {
  const double share = ShareReached(Shipped(GetParam()));
  EXPECT_GE(share, 0.97);
  EXPECT_LE(share, 1.01);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Agreement,
                         ::testing::Values("balanced", "single_bottleneck", "two_bottlenecks", "retrograde",
                                           "usl", "serial", "gil", "shards", "io_bound", "storage_roofline",
                                           "demand_bound", "already_optimal", "eight_ranks",
                                           "mlperf_resnet50", "mlperf_cosmoflow", "cedar_simclr_8",
                                           "cedar_asr_16", "cedar_ssd_32", "noise_02"),
                         [](const auto& name) { return std::string(name.param); });

// Where order, phases or memory cost something, the fluid optimum is a bound that is nearly reached.
struct NearlyReached {
  const char* name;
  double share;
  Spare spare = Spare::kYes;
  int capacity = 128;
};

class Bound : public ::testing::TestWithParam<NearlyReached> {};

TEST_P(Bound, IsNotExceededAndNearlyReached) {
  const auto& [name, least, spare, capacity] = GetParam();
  const double share = ShareReached(Shipped(name), spare, capacity);
  EXPECT_GE(share, least);
  EXPECT_LE(share, 1.01);
}

// heavy_tail: items in order need much room. busy_trainer: workers to spare would take the trainer's cores.
// memory_tight: nothing to spare at all.
INSTANTIATE_TEST_SUITE_P(Shipped, Bound,
                         ::testing::Values(NearlyReached{"heavy_tail", 0.95, Spare::kYes, 1024},
                                           NearlyReached{"busy_trainer", 0.96, Spare::kNo},
                                           NearlyReached{"epoch_drain", 0.9},
                                           NearlyReached{"zip_concat", 0.9}, NearlyReached{"numa", 0.93},
                                           NearlyReached{"memory_tight", 0.9, Spare::kNo, 1},
                                           NearlyReached{"mlperf_unet3d", 0.95, Spare::kYes, 0},
                                           NearlyReached{"cedar_wikitext_32", 0.95}),
                         [](const auto& reached) { return std::string(reached.param.name); });

TEST(ReachableOptima, CountWhatSmallBuffersCost) {
  SimScenario s = Shipped("memory_tight");
  const Optimum fluid = OptimumAt(s, Nanos(0));
  const Optimum best = ReachableOptima(s)[0];
  EXPECT_EQ(best.limit, Limit::kMemory);
  EXPECT_LT(best.rate.per_second, 0.98 * fluid.rate.per_second);
  EXPECT_GT(best.rate.per_second, 0.93 * fluid.rate.per_second);
  EXPECT_LE(best.bytes, s.memory);
  for (std::size_t i = 0; i < s.ops.size(); ++i) {
    s.ops[i].workers = best.workers[i];
    s.ops[i].capacity = static_cast<int>(best.capacity[i]);
  }
  EXPECT_NEAR(MeasuredRate(s, 10s, 200s), best.rate.per_second, 0.01 * best.rate.per_second);
}

double MeasuredWith(SimScenario s, const SimSetting& setting) {
  for (std::size_t i = 0; i < s.ops.size(); ++i) {
    s.ops[i].workers = setting.workers[i];
    s.ops[i].capacity = static_cast<int>(setting.capacity[i]);
  }
  return MeasuredRate(s, 20s, 100s);
}

// 64 workers wait 0.6 s each, with a heavy tail: half a second of items is far too little room for their
// order.
TEST(ReachableOptima, FindTheRoomThatOrderNeedsBehindHeavyTails) {
  SimScenario s = Rows();
  Waits(s, "fetch", Lognormal(600ms, 1)).max_workers = 64;
  const Optimum fluid = OptimumAt(s, Nanos(0));
  const Optimum best = ReachableOptima(s)[0];
  EXPECT_LT(MeasuredWith(s, SettingFor(s, fluid)), 0.7 * fluid.rate.per_second);
  EXPECT_GT(MeasuredWith(s, SettingFor(s, best)), 0.9 * fluid.rate.per_second);
  EXPECT_LE(best.rate, fluid.rate);
  EXPECT_EQ(best.limit, Limit::kOp);
}

// So many ops hold bytes that not all of their settings can be tried.
TEST(ReachableOptima, AreWhatCanBeReachedWhereMemoryIsScarceForManyOps) {
  SimScenario s = Rows();
  s.ops[0].allocate = {1'000'000};
  for (const char* name : {"a", "b", "c", "d", "e"}) Waits(s, name, Lognormal(20ms, 1));
  s.memory = {120'000'000};
  const Optimum best = ReachableOptima(s)[0];
  EXPECT_LE(best.bytes, s.memory);
  const Optimum fluid = OptimumAt(s, Nanos(0));
  EXPECT_LT(best.rate.per_second, 0.9 * fluid.rate.per_second);
  const double made = MeasuredWith(s, SettingFor(s, best));
  EXPECT_GT(made, 0.95 * MeasuredWith(s, SettingFor(s, fluid)));
  EXPECT_NEAR(made, best.rate.per_second, 0.08 * best.rate.per_second);
}

TEST(ReachableOptima, AreTheSameWheneverTheWorldIs) {
  SimScenario s = Rows();
  Waits(s, "fetch", Lognormal(100ms, 1)).max_workers = 64;
  s.events = {{.at = 20s, .cost = 2}, {.at = 40s, .cost = 1}};
  const auto best = ReachableOptima(s);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[2].from, 40s);
  EXPECT_EQ(best[2].rate, best[0].rate);
  EXPECT_EQ(best[2].capacity, best[0].capacity);
  EXPECT_LT(best[1].rate, best[0].rate);
}

// The rest of the epochs after a pause would count as less.
TEST(ReachableOptima, AreMeasuredOverWholeEpochs) {
  SimScenario s = Rows(500);
  Waits(s, "fetch", Lognormal(50ms, 1)).max_workers = 64;
  s.drain = true;
  s.pause = 2s;
  const Optimum best = ReachableOptima(s)[0];
  EXPECT_NEAR(MeasuredWith(s, SettingFor(s, best)), best.rate.per_second, 0.03 * best.rate.per_second);
}

TEST(BusyTrainer, IsSlowedDownByWorkersThatAreTooMany) {
  SimScenario s = Shipped("busy_trainer");
  s.ops[1].workers = 48;
  EXPECT_LT(MeasuredRate(s, 5s, 60s), 0.8 * OptimumAt(s, Nanos(0)).rate.per_second);
}

// Fewer workers than the optimum says are too few: the oracle is no lower than it has to be.
TEST(OptimumsWorkers, AreTheFewestThatDo) {
  for (const char* name : {"io_bound", "single_bottleneck", "retrograde"}) {
    SimScenario s = Shipped(name);
    s.machine.noise = 0;
    const Optimum optimum = OptimumAt(s, Nanos(0));
    const auto most = std::ranges::max_element(optimum.workers) - optimum.workers.begin();
    s = AtOptimum(s);
    s.ops[static_cast<std::size_t>(most)].workers = optimum.workers[static_cast<std::size_t>(most)] - 1;
    EXPECT_LT(MeasuredRate(s, 10s, 50s), 0.995 * optimum.rate.per_second) << name;
  }
}

}  // namespace
}  // namespace sluice::simulator::testing

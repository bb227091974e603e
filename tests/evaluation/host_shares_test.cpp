// Eight runs of eight ops on a host of 128 cores and 8 nodes: the shares that they give each other, and what
// the controller of each makes of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "sluice/autotune/auto_tune.h"
#include "sluice/autotune/node_shares.h"
#include "sluice/simulator/sim_plant.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr std::size_t kRuns = 8, kOps = 8, kNodes = 8;
constexpr double kCores = 128;
constexpr Nanos kAlone = seconds(20);  // with an even share, until needs are known
constexpr Nanos kShared = seconds(60);
constexpr double kItemCost = 0.0365;  // seconds of CPU time per item, of all ops of the first run

// Of run `r`: its items cost more than those of the run before, and its consumer is faster or slower.
double Load(std::size_t r) {
  return 0.4 + 0.25 * static_cast<double>(r);
}
double Demand(std::size_t r) {
  return 400 + 40.0 * static_cast<double>(r * 5 % kRuns);
}
double Need(std::size_t r) {
  return Load(r) * kItemCost * Demand(r);
}

simulator::SimScenario Scenario(std::size_t r) {
  simulator::SimScenario s;
  s.epochs = 0;
  s.seed = 1 + r;
  s.duration = kAlone + kShared;
  s.ops.push_back({.name = "list", .kind = simulator::SimKind::kRange, .count = 1'000'000'000});
  for (std::size_t i = 1; i < kOps; ++i) {
    const auto mean =
        microseconds(static_cast<std::int64_t>(1000 * Load(r) * (2 + static_cast<double>(i * 3 % 7))));
    s.ops.push_back({.name = "op" + std::to_string(i),
                     .burn = {.kind = Distribution::Kind::kLognormal, .mean = mean, .cv = 0.3},
                     .allocate = {100'000}});
  }
  s.consumer.step = {.mean = FromSeconds(1 / Demand(r))};
  s.machine.cores = kCores / kRuns;
  return s;
}

struct Outcome {
  double wanted = 0;  // when it had its even share
  double rate = 0;    // over the last half
};

double NeededSince(const Snapshot& begin, const Snapshot& end) {
  const double time = Seconds(end.at - begin.at);
  return autotune::CoresNeeded(Seconds(end.process_cpu - begin.process_cpu) / time,
                               Seconds(end.consumer.starved - begin.consumer.starved) / time);
}

Outcome Played(const simulator::SimScenario& scenario) {
  simulator::SimPlant plant(scenario);
  const auto controller = autotune::MakeAutoTune();
  Outcome outcome;
  std::uint64_t before = 0;
  Snapshot begin;
  while (plant.Truth().now < scenario.duration) {
    const Snapshot seen = plant.Sense();
    plant.Act(controller->Decide(seen));
    if (plant.Truth().now < kAlone / 2) begin = seen;
    if (plant.Truth().now < kAlone) outcome.wanted = NeededSince(begin, seen);
    if (plant.Truth().now < kAlone + kShared / 2) before = plant.Truth().items;
  }
  outcome.rate = static_cast<double>(plant.Truth().items - before) / Seconds(kShared / 2);
  return outcome;
}

TEST(HostShares, EightRunsReachTheBestPartOfTheirDemandThatAllCanHave) {
  std::vector<autotune::CoreNeed> needs;
  double needed = 0;
  for (std::size_t r = 0; r < kRuns; ++r) {
    const double wanted = Played(Scenario(r)).wanted;
    EXPECT_NEAR(wanted, Need(r), 0.1 * Need(r)) << "run " << r;
    autotune::CoreNeed need{.cores = wanted, .nodes = {}};
    for (std::size_t n = 0; n < kNodes; ++n) need.nodes.push_back((r + n) % kNodes);
    needs.push_back(std::move(need));
    needed += Need(r);
  }
  const double best = std::min(1.0, kCores / needed);
  ASSERT_LT(best, 0.9) << "there is not enough for all";

  const auto shares = autotune::ShareNodes(std::vector<double>(kNodes, kCores / kNodes), needs);
  double given = 0;
  for (std::size_t r = 0; r < kRuns; ++r) {
    given += shares[r].cores;
    simulator::SimScenario scenario = Scenario(r);
    scenario.events = {{.at = kAlone, .cores = shares[r].cores}};
    const double part = Played(scenario).rate / Demand(r);
    EXPECT_GE(part, 0.97 * best) << "run " << r << " on " << shares[r].cores << " cores";
  }
  EXPECT_NEAR(given, kCores, 1e-6) << "no core idles while somebody wants it";
}

}  // namespace
}  // namespace sluice::evaluation

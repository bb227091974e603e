#include "sluice/evaluation/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "evaluation/written_runs.h"
#include "sluice/evaluation/suite_report.h"

namespace sluice::evaluation::testing {
namespace {

simulator::SimScenario Short(const std::string& name, double noise) {
  simulator::SimScenario scenario = Work();
  scenario.name = name;
  scenario.duration = std::chrono::seconds(20);
  scenario.consumer.step.mean = std::chrono::milliseconds(3);
  scenario.machine.noise = noise;
  return scenario;
}

SuiteOptions Small(int threads) {
  SuiteOptions options;
  options.scenarios = {Short("quiet", 0), Short("noisy", 0.3), Short("noisier", 0.5)};
  options.controllers = {"sluice", "random-walk", "none", "oracle"};
  options.seeds = 3;
  options.threads = threads;
  return options;
}

TEST(Suite, GivesTheSameResultOnAnyNumberOfThreads) {
  const std::string one = SuiteJson(*RunSuite(Small(1)));
  EXPECT_EQ(SuiteJson(*RunSuite(Small(1))), one);
  EXPECT_EQ(SuiteJson(*RunSuite(Small(4))), one);
}

TEST(Suite, ScoresEachControllerWithEachSeed) {
  const auto result = RunSuite(Small(2));
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->scenarios.size(), 3u);
  const ScenarioScores& noisy = result->scenarios[1];
  EXPECT_EQ(noisy.scenario.name, "noisy");
  ASSERT_EQ(noisy.controllers.size(), 4u);
  std::set<double> losses;
  for (const Scores& scores : noisy.controllers[0].seeds) losses.insert(scores.lost);
  EXPECT_GT(losses.size(), 1u) << "seeds differ";
  EXPECT_LT(noisy.controllers[2].seeds[0].final_share, 0.5) << "the start setting has one worker";
  EXPECT_GT(noisy.controllers[3].seeds[0].final_share, 0.9) << "the oracle has enough";
}

TEST(Suite, ScoresTheYardsticksAsIfTheyWereControllers) {
  SuiteOptions options = Small(1);
  options.controllers = {"none"};
  const auto result = RunSuite(options);
  for (const ScenarioScores& scenario : result->scenarios) {
    EXPECT_DOUBLE_EQ(scenario.controllers[0].seeds[0].worst_window, 1);
    EXPECT_FALSE(scenario.controllers[0].seeds[0].worse_than_start);
  }
}

TEST(Suite, BeginsEachScenarioFromEachStart) {
  SuiteOptions options = Small(2);
  options.starts = *StartsNamed("file,cores");
  options.controllers = {"none"};
  const auto result = RunSuite(options);
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->scenarios.size(), 6u);
  EXPECT_EQ(NameOf(result->scenarios[0]), "quiet");
  EXPECT_EQ(NameOf(result->scenarios[1]), "quiet@cores");
  EXPECT_LT(result->scenarios[0].controllers[0].seeds[0].final_share, 0.5) << "one worker";
  EXPECT_GT(result->scenarios[1].controllers[0].seeds[0].final_share, 0.9) << "eight";
}

TEST(Suite, TellsHowFarItIs) {
  std::size_t calls = 0;
  (void)RunSuite(Small(4), [&](std::size_t done, std::size_t all, const std::string&) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(all, 9u);
  });
  EXPECT_EQ(calls, 9u);
}

TEST(Suite, RefusesAnUnknownControllerBeforeAnythingRuns) {
  SuiteOptions options = Small(1);
  options.controllers.push_back("rey");
  bool called = false;
  const auto result = RunSuite(options, [&](std::size_t, std::size_t, const std::string&) { called = true; });
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("did you mean 'ray'?"));
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace sluice::evaluation::testing

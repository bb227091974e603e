#include "sluice/evaluation/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/written_scores.h"

namespace sluice::evaluation::testing {
namespace {

using ::testing::ElementsAre;

ScenarioScores Named(const std::string& name, Scores ours, Scores theirs) {
  ScenarioScores scenario = Met({{"sluice", {ours}}, {"static", {theirs}}, {"oracle", {Losing(0)}}});
  scenario.scenario.name = name;
  return scenario;
}

SuiteResult TwoScenarios() {
  Scores wasteful = Losing(1);
  wasteful.core_waste = 1;
  return {1, {Named("first", Losing(1), Losing(50)), Named("second", Losing(50), wasteful)}};
}

TEST(Standings, CountLeastLossAndFloorsOverAllScenarios) {
  const auto standings = Standings(TwoScenarios());
  ASSERT_EQ(standings.size(), 3u);
  EXPECT_EQ(standings[0].controller, "sluice");
  EXPECT_EQ(standings[0].scenarios, 2);
  EXPECT_EQ(standings[0].lowest, 1);
  EXPECT_EQ(standings[0].applied, standings[1].applied);
  EXPECT_EQ(standings[0].applied - standings[0].met, 2);  // lost in one, and lowest
}

TEST(Standings, CountTheLeastLossWithToleranceAndWithout) {
  const auto standings =
      Standings({1, {Named("close", Losing(2), Losing(1)), Named("tie", Losing(1), Losing(1))}});
  EXPECT_EQ(standings[0].lowest, 2);
  EXPECT_EQ(standings[0].lowest_exactly, 1);
  EXPECT_EQ(standings[1].lowest_exactly, 2);
  EXPECT_TRUE(standings[0].missed.empty()) << "what is no loss misses no floor";
}

TEST(Standings, SayWhichScenariosMissAFloor) {
  const auto standings = Standings(TwoScenarios());
  ASSERT_EQ(standings[0].missed.size(), 2u);
  EXPECT_EQ(standings[0].missed[0].floor, "lost");
  EXPECT_THAT(standings[0].missed[0].scenarios, ElementsAre("second"));
  EXPECT_EQ(standings[0].missed[1].floor, "lowest");
  EXPECT_THAT(standings[0].missed[1].scenarios, ElementsAre("second"));
  EXPECT_EQ(standings[1].missed[1].floor, "waste");
}

TEST(Standings, AreLowestOftenEnoughAtNineOfTen) {
  SuiteResult result{1, {}};
  for (int i = 0; i < 9; ++i) result.scenarios.push_back(Named("won", Losing(1), Losing(50)));
  result.scenarios.push_back(Named("tenth", Losing(3.5), Losing(1)));
  EXPECT_EQ(Standings(result)[0].missed.size(), 1u);  // lost in the tenth
  result.scenarios.push_back(result.scenarios.back());
  EXPECT_EQ(Standings(result)[0].missed.back().floor, "lowest");
}

TEST(Standings, AreNotLowestWhereTheRestLosesHalfAsMuchAgain) {
  SuiteResult result{1, {}};
  for (int i = 0; i < 19; ++i) result.scenarios.push_back(Named("won", Losing(1), Losing(50)));
  result.scenarios.push_back(Named("rest", Losing(14), Losing(10)));
  EXPECT_NEAR(Standings(result)[0].most_over_least, 1.4, 1e-9);
  EXPECT_NE(Standings(result)[0].missed.back().floor, "lowest");
  result.scenarios.back() = Named("rest", Losing(16), Losing(10));
  EXPECT_EQ(Standings(result)[0].missed.back().floor, "lowest");
}

TEST(Standings, DoNotRankTheOracle) {
  const auto standings = Standings(TwoScenarios());
  EXPECT_EQ(standings[2].lowest, 0);
  for (const MissedFloor& missed : standings[2].missed) EXPECT_NE(missed.floor, "lowest");
}

TEST(Standings, OfNothingAreNone) {
  EXPECT_TRUE(Standings({}).empty());
}

}  // namespace
}  // namespace sluice::evaluation::testing

#include "sluice/evaluation/floors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "evaluation/written_scores.h"

namespace sluice::evaluation::testing {
namespace {

using Seeds = std::vector<Scores>;

std::size_t IndexOf(std::string_view floor) {
  return static_cast<std::size_t>(std::ranges::find(Floors(), floor, &Floor::name) - Floors().begin());
}

Held Of(std::string_view floor, const Seeds& seeds, const std::vector<WrittenEvent>& events = {},
        const std::string& controller = "sluice") {
  return HoldTo(Met({{controller, seeds}}, events), 0)[IndexOf(floor)];
}

Scores With(const std::function<void(Scores&)>& change) {
  Scores scores = Good();
  change(scores);
  return scores;
}

TEST(Floors, HaveNamesReasonsAndOneVerdictEach) {
  for (const Floor& floor : Floors()) {
    EXPECT_FALSE(floor.name.empty());
    EXPECT_FALSE(floor.wants.empty());
    EXPECT_FALSE(floor.reason.empty());
  }
  EXPECT_EQ(HoldTo(Met({{"sluice", {Good()}}}), 0).size(), Floors().size());
}

TEST(Floors, AreAllMetOrDoNotApplyInAGoodRun) {
  for (const Held held : HoldTo(Met({{"sluice", {Good()}}}), 0)) EXPECT_NE(held, Held::kMissed);
}

// What nobody can do is no floor, and what one rule does is one for all.
TEST(Floors, DoNotApplyWhereTheOracleAndAllOthersMissThem) {
  const Scores restless = With([](Scores& s) { s.steadiness->changes_per_minute = 3; });
  ScenarioScores scenario = Met({{"sluice", {restless}}, {"static", {restless}}});
  EXPECT_EQ(HoldTo(scenario, 0)[IndexOf("steady")], Held::kMissed) << "no oracle has tried";
  scenario.oracle = {restless};
  EXPECT_EQ(HoldTo(scenario, 0)[IndexOf("steady")], Held::kOutOfReach);
  scenario.controllers[1].seeds = {Good()};
  EXPECT_EQ(HoldTo(scenario, 0)[IndexOf("steady")], Held::kMissed);
  EXPECT_EQ(HoldTo(scenario, 1)[IndexOf("steady")], Held::kMet);
}

TEST(Floors, AskForTheTrueLimitOnlyWhereTheOracleIsSeenToArrive) {
  const Scores lost = With([](Scores& s) { s.diagnosed = std::nullopt; });
  ScenarioScores scenario = Met({{"sluice", {lost}}});
  scenario.oracle = {Good()};
  EXPECT_EQ(HoldTo(scenario, 0)[IndexOf("named")], Held::kMissed);
  scenario.oracle[0].steadiness = std::nullopt;
  EXPECT_EQ(HoldTo(scenario, 0)[IndexOf("named")], Held::kOutOfReach);
}

struct Miss {
  std::string_view floor;
  void (*break_it)(Scores&);
};

class EachFloor : public ::testing::TestWithParam<Miss> {};

TEST_P(EachFloor, IsMissedAloneByTheRunThatBreaksIt) {
  const auto& [floor, break_it] = GetParam();
  const auto held = HoldTo(Met({{"sluice", {With(break_it)}}}), 0);
  for (std::size_t f = 0; f < held.size(); ++f) {
    EXPECT_EQ(held[f] == Held::kMissed, Floors()[f].name == floor) << Floors()[f].name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, EachFloor,
    ::testing::Values(Miss{"final", [](Scores& s) { s.final_share = 0.969; }},
                      Miss{"t95", [](Scores& s) { s.t95 = Reached{2, 150, 4}; }},
                      Miss{"t95", [](Scores& s) { s.t95 = Reached{11, 201, 1}; }},
                      Miss{"t95", [](Scores& s) { s.t95 = std::nullopt; }},
                      Miss{"memory", [](Scores& s) { s.memory_share = 1.01; }},
                      Miss{"memory", [](Scores& s) { s.ooms = 1; }},
                      Miss{"waste", [](Scores& s) { s.core_waste = 0.16; }},
                      Miss{"steady", [](Scores& s) { s.steadiness->changes_per_minute = 1.1; }},
                      Miss{"steady", [](Scores& s) { s.steadiness->excess_sd = 0.031; }},
                      Miss{"shift", [](Scores& s) { s.shifts = 1; }},
                      Miss{"calm", [](Scores& s) { s.steadiness->false_alarms_per_hour = 30; }},
                      Miss{"harm", [](Scores& s) { s.worst_window = 0.96; }},
                      Miss{"named", [](Scores& s) { s.diagnosed = 0.9; }},
                      Miss{"named", [](Scores& s) { s.diagnosed = std::nullopt; }},
                      Miss{"best", [](Scores& s) { s.over_best = 0.969; }},
                      Miss{"kept", [](Scores& s) { s.over_untouched = 0.89; }},
                      Miss{"threads", [](Scores& s) { s.threads = 1.01; }}));

TEST(Floors, TakeTheLaterOfTenSecondsAndTwoHundredItems) {
  EXPECT_EQ(Of("t95", {With([](Scores& s) { s.t95 = Reached{10, 5000, 3}; })}), Held::kMet);
  EXPECT_EQ(Of("t95", {With([](Scores& s) { s.t95 = Reached{60, 200, 3}; })}), Held::kMet);
}

TEST(Floors, LookAtMediansOverTheSeeds) {
  const Scores bad = With([](Scores& s) { s.final_share = 0.5; });
  EXPECT_EQ(Of("final", {Good(), Good(), bad}), Held::kMet);
  EXPECT_EQ(Of("final", {Good(), bad, bad}), Held::kMissed);
}

TEST(Floors, ForgiveNoSeedThatGoesBeyondTheMemory) {
  EXPECT_EQ(Of("memory", {Good(), Good(), With([](Scores& s) { s.ooms = 1; })}), Held::kMissed);
}

TEST(Floors, ForgiveNoSeedThatEndsFarBelowTheStart) {
  EXPECT_EQ(Of("kept", {Good(), Good(), With([](Scores& s) { s.over_untouched = 0.89; })}), Held::kMissed);
}

TEST(Floors, DoNotApplyWhereThereIsNothingToHold) {
  EXPECT_EQ(Of("kept", {With([](Scores& s) { s.over_untouched = std::nullopt; })}), Held::kDoesNotApply);
  EXPECT_EQ(Of("shift", {Good()}), Held::kDoesNotApply);
  EXPECT_EQ(Of("t95", {Good()}, {{60, 2}}), Held::kDoesNotApply);
  EXPECT_EQ(Of("memory", {With([](Scores& s) { s.memory_share = std::nullopt; })}), Held::kDoesNotApply);
}

TEST(Floors, WantNoWordFromRulesThatNeverNameALimitButFromOurs) {
  const Scores silent = With([](Scores& s) {
    s.names_limit = false;
    s.diagnosed = std::nullopt;
  });
  EXPECT_EQ(Of("named", {silent}, {}, "static"), Held::kDoesNotApply);
  EXPECT_EQ(Of("named", {silent}, {}, "sluice"), Held::kMissed);
}

TEST(LostFloor, IsMetNearTheLeastAndMissedBeyond) {
  const auto held = [](double least, double ours) {
    return HoldTo(Met({{"sluice", {Losing(ours)}}, {"static", {Losing(least)}}}), 0)[IndexOf("lost")];
  };
  EXPECT_EQ(held(100, 105), Held::kMet);
  EXPECT_EQ(held(100, 105.1), Held::kMissed);
  EXPECT_EQ(held(0, 2.4), Held::kMet) << "2 % of 120 s";
  EXPECT_EQ(held(0, 2.5), Held::kMissed);
  EXPECT_EQ(held(-1, 1.4), Held::kMet) << "a run in luck makes more than the optimum";
  EXPECT_EQ(held(-1, 1.5), Held::kMissed);
}

TEST(LostFloor, ForgivesATickHoweverShortTheRun) {
  const auto held = [](double ours) {
    Scores brief = Losing(ours);
    brief.seconds = 5;
    return HoldTo(Met({{"sluice", {brief}}, {"static", {Losing(0)}}}), 0)[IndexOf("lost")];
  };
  EXPECT_EQ(held(0.2), Held::kMet);
  EXPECT_EQ(held(0.21), Held::kMissed);
}

TEST(LostFloor, IsNotSetByWhoTakesMoreMemoryThanGiven) {
  const auto lost_beside = [](double memory) {
    Scores greedy = Losing(1);
    greedy.memory_share = memory;
    return HoldTo(Met({{"sluice", {Losing(9)}}, {"static", {Losing(9)}}, {"cores", {greedy}}}),
                  0)[IndexOf("lost")];
  };
  EXPECT_EQ(lost_beside(0.9), Held::kMissed);
  EXPECT_EQ(lost_beside(1.4), Held::kMet);
}

ScenarioScores NearMisses() {
  return Met({{"sluice", {Losing(5)}},
              {"static", {Losing(5)}},
              {"ray", {Losing(7.4)}},
              {"ds2", {Losing(7.5)}},
              {"oracle", {Losing(0)}}});
}

TEST(LosesLeast, CountsNearMissesAndLeavesTheOracleOut) {
  EXPECT_DOUBLE_EQ(LeastLost(NearMisses()), 5);
  EXPECT_TRUE(LosesLeast(NearMisses(), 0));
  EXPECT_TRUE(LosesLeast(NearMisses(), 1));
  EXPECT_TRUE(LosesLeast(NearMisses(), 2));
  EXPECT_FALSE(LosesLeast(NearMisses(), 3));
  EXPECT_FALSE(LosesLeast(NearMisses(), 4));
}

TEST(LosesLeastExactly, CountsTiesOnlyAndLeavesTheOracleOut) {
  EXPECT_TRUE(LosesLeastExactly(NearMisses(), 0));
  EXPECT_TRUE(LosesLeastExactly(NearMisses(), 1));
  EXPECT_FALSE(LosesLeastExactly(NearMisses(), 2));
  EXPECT_FALSE(LosesLeastExactly(NearMisses(), 4));
}

}  // namespace
}  // namespace sluice::evaluation::testing

// Each figure on runs written by hand; the optimum is 100 items per second on one core (written_runs.h).
#include "sluice/evaluation/scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/written_runs.h"
#include "tallies.h"

namespace sluice::evaluation::testing {
namespace {

constexpr double kNear = 1e-9;

TEST(Final, IsTheShareOfTheOptimumInTheSecondHalf) {
  EXPECT_NEAR(Scored(Written().For(60, 50).For(60, 90)).final_share, 0.9, kNear);
}

TEST(Final, LooksAtTheStretchAfterTheLastEventOnly) {
  const auto scores = Scored(Written().For(60, 100).For(30, 10).For(30, 40), {{60, 2}});
  EXPECT_NEAR(scores.final_share, 0.8, kNear);
}

// R1

TEST(T95, IsWhenThroughputComesAndStays) {
  const auto t95 =
      Scored(Written().For(4, 25).Change(2).For(6, 25).Change(4).For(1, 95).Change(5).For(60, 95)).t95;
  ASSERT_TRUE(t95);
  EXPECT_NEAR(t95->seconds, 10, kNear);
  EXPECT_NEAR(t95->items, 250, kNear);
  EXPECT_EQ(t95->changes, 2);
}

TEST(T95, IsMissingWhereItNeverComes) {
  EXPECT_FALSE(Scored(Written().For(120, 90)).t95);
}

TEST(T95, DoesNotCountAVisitOfNineWindows) {
  const auto t95 = Scored(Written().For(10, 25).For(9, 100).For(5, 50).For(96, 100)).t95;
  ASSERT_TRUE(t95);
  EXPECT_NEAR(t95->seconds, 24, kNear);
}

TEST(T95, DoesNotCountAGoodEnd) {
  EXPECT_FALSE(Scored(Written().For(115, 50).For(5, 100)).t95);
}

TEST(T95, ForgivesTheWaveringThatThePlantHasOfItsOwn) {
  const Written wavering = Written().Wavering(120, 80, 120);
  const Written quiet = Written().For(120, 100);
  EXPECT_FALSE(Scored(wavering, quiet, quiet).t95);
  EXPECT_TRUE(Scored(wavering, quiet, wavering).t95);
}

TEST(T95, DoesNotForgiveAMeanBelow95) {
  const Written quiet = Written().For(120, 100), noisy = Written().Wavering(120, 80, 120);
  EXPECT_FALSE(Scored(Written().For(120, 90), quiet, noisy).t95);
}

// R2

TEST(Lost, AddsUpWhatIsMissingToTheOptimumInItsSeconds) {
  EXPECT_NEAR(Scored(Written().For(10, 50).For(20, 90).For(90, 100)).lost, 5 + 2, kNear);
}

TEST(Lost, ComparesEachStretchWithItsOwnOptimum) {
  EXPECT_NEAR(Scored(Written().For(60, 90).For(60, 45), {{60, 2}}).lost, 6 + 6, kNear);
}

TEST(Lost, IsGivenBackWhereBuffersGiveMoreThanTheOptimum) {
  EXPECT_NEAR(Scored(Written().For(60, 90).For(60, 55), {{60, 2}}).lost, 6 - 6, kNear);
}

// R3

TEST(Memory, IsTheGreatestShareOfTheBudget) {
  const auto scores =
      Scored(Written().Buffers(0.5).For(1, 100).Buffers(1.25).For(1, 100).Buffers(0.1).For(60, 100).Dies());
  EXPECT_NEAR(scores.memory_share.value_or(0), 1.25, kNear);
  EXPECT_EQ(scores.ooms, 1);
}

TEST(Memory, IsMissingWithoutABudget) {
  EXPECT_FALSE(Scored(Written().For(60, 100)).memory_share);
}

// R4

TEST(CoreWaste, IsWhatIsUsedBeyondTheOptimumAndNotMadeGoodBySavingLater) {
  EXPECT_NEAR(Scored(Written().For(30, 100, 1.5).For(90, 100, 0.5)).core_waste, 0.125, kNear);
}

TEST(CoreWaste, DoesNotCountWhatAveragesOutWithinAWindow) {
  Written run;
  for (int i = 0; i < 60; ++i) run.For(0.4, 100, 1.5).For(0.6, 100, 2.0 / 3);
  EXPECT_NEAR(Scored(run).core_waste, 0, kNear);
}

// R5

TEST(Changes, AreCountedPerMinuteFromT95On) {
  const auto scores =
      Scored(Written().For(2, 25).Change(2).For(58, 100).Change(3).For(60, 100).Change(4).For(2, 100));
  ASSERT_TRUE(scores.steadiness);
  EXPECT_NEAR(scores.steadiness->changes_per_minute, 1, kNear);
}

TEST(Changes, AreMissingWhereT95NeverComes) {
  EXPECT_FALSE(Scored(Written().For(120, 50)).steadiness);
}

TEST(Deviation, IsWhatDecisionsAddToThePlantsOwn) {
  const Written quiet = Written().For(100, 100), wavering = Written().Wavering(100, 97.5, 102.5);
  Written restless;
  for (int i = 0; i < 100; ++i) restless.Change(1 + i % 2).For(1, i % 2 == 0 ? 100 : 110);
  const double sd = 0.05 * std::sqrt(100.0 / 99);
  EXPECT_NEAR(Scored(restless, quiet, quiet).steadiness->excess_sd, sd, 1e-3);
  EXPECT_NEAR(Scored(restless, quiet, restless).steadiness->excess_sd, 0, 1e-6)
      << "the oracle's run does so too";
  EXPECT_NEAR(Scored(wavering, quiet, quiet).steadiness->excess_sd, 0, 1e-6) << "nothing was changed";
}

TEST(Deviation, SeesTwoSettingsThroughTheNoiseOfBoth) {
  const Written quiet = Written().For(100, 100);
  const Written once = Written().Wavering(50, 97.5, 102.5).Change(2).Wavering(50, 107.5, 112.5);
  EXPECT_NEAR(Scored(once, quiet, quiet).steadiness->excess_sd, 0.05, 2e-3);
}

TEST(Cycles, AreSettingsThatComeBackMoreThanTwice) {
  EXPECT_FALSE(Scored(Written().For(60, 100).Change(2).Change(1).Change(2).Change(1).Change(2)).cycles);
  EXPECT_TRUE(
      Scored(Written().For(60, 100).Change(2).Change(1).Change(2).Change(1).Change(2).Change(1)).cycles);
}

// R6

TEST(Shift, IsTheSlowestReturnAfterAnEvent) {
  const std::vector<WrittenEvent> events = {{40, 2}, {80, 1}};
  const auto scores =
      Scored(Written().For(40, 100).For(3, 20).For(37, 50).For(8, 50).Change(2).For(32, 100), events);
  EXPECT_EQ(scores.shifts, 2);
  ASSERT_TRUE(scores.shift);
  EXPECT_NEAR(scores.shift->seconds, 8, kNear);
  EXPECT_NEAR(scores.shift->items, 400, kNear);
  EXPECT_EQ(scores.shift->changes, 1);
}

TEST(Shift, IsMissingWhereOneReturnNeverComes) {
  const auto scores = Scored(Written().For(60, 100).For(60, 25), {{60, 2}});
  EXPECT_EQ(scores.shifts, 1);
  EXPECT_FALSE(scores.shift);
}

TEST(Shift, IsMissingWhereOneOfTwoReturnsNeverComes) {
  const auto scores = Scored(Written().For(40, 100).For(40, 25).For(40, 100), {{40, 2}, {80, 1}});
  EXPECT_EQ(scores.shifts, 2);
  EXPECT_FALSE(scores.shift);
}

TEST(Shift, DoesNotCountAnEventThatTheRunDidNotLiveToSee) {
  EXPECT_EQ(Scored(Written().For(50, 100), {{60, 2}}).shifts, 0);
}

TEST(FalseAlarms, AreChangesAfterHalfAMinuteOfQuiet) {
  const auto scores =
      Scored(Written().For(20, 100).Change(2).For(31, 100).Change(3).For(2, 100).Change(4).For(67, 100));
  ASSERT_TRUE(scores.steadiness);
  EXPECT_NEAR(scores.steadiness->false_alarms_per_hour, 30, kNear);
}

TEST(FalseAlarms, AreNotTheChangesSoonAfterALateArrival) {
  const auto scores = Scored(Written().For(40, 25).For(5, 100).Change(2).For(75, 100));
  EXPECT_NEAR(scores.steadiness->false_alarms_per_hour, 0, kNear);
}

TEST(FalseAlarms, AreNotTheChangesThatAnEventCalledFor) {
  const auto scores = Scored(Written().For(60, 100).For(1, 20).Change(2).For(59, 50), {{60, 2}});
  EXPECT_NEAR(scores.steadiness->false_alarms_per_hour, 0, kNear);
}

// R5

TEST(Restlessness, IsCountedAlsoWhereNothingIsEverReached) {
  const auto scores = Scored(Written().For(30, 50).Change(2).For(60, 50).Change(3).For(30, 50));
  EXPECT_FALSE(scores.steadiness);
  EXPECT_NEAR(scores.restless.decisions_per_minute, 1, kNear) << "one in the second half of two minutes";
  EXPECT_NEAR(scores.restless.knobs_per_minute, 1, kNear);
}

TEST(Restlessness, CountsAllDecisionsAfterArrival) {
  const auto scores = Scored(Written().For(30, 100).Change(2).For(60, 100).Change(3).For(30, 100));
  EXPECT_NEAR(scores.restless.decisions_per_minute, 1, kNear);
}

TEST(Noise, OfAnOracleThatWaversForgivesOthersNoMoreThanSomeOfIt) {
  const Written wild = Written().Wavering(120, 190, 10);
  const Written weak = Written().Wavering(120, 130, 65);
  EXPECT_FALSE(Scored(weak, wild, wild).t95) << "windows at 0.65";
  EXPECT_GT(Scored(weak, wild, wild).noise, 0.02);
  EXPECT_NEAR(Scored(weak, wild, Written().For(120, 100)).noise, 0, kNear);
}

TEST(Threads, AreThosePlannedBesideTheOraclesAndNotThoseOfTheStart) {
  const Written oracle = Written().For(120, 100);  // one worker, and one of the source
  const double most = ReasonableThreads(PlannedWorkers(oracle.record(), oracle.record().workers));
  const auto threads = [&](const Written& run) { return Scored(run, oracle, oracle).threads * most; };
  EXPECT_NEAR(threads(Written().For(60, 100).Change(20).For(1, 100).Change(1).For(59, 100)) -
                  threads(Written().For(120, 100)),
              19, kNear);
}

// The source's four workers are nobody's plan before somebody changes them, but those at the end are.
TEST(Threads, OfOpsThatAreLeftAsTheyBeganAreNoMoreThanTheOraclesUntilTheEnd) {
  RunRecord run;
  run.workers = {4, 8};
  EXPECT_EQ(PlannedWorkers(run, {1, 6}), 12);
  run.workers = {1, 8};
  run.decisions.resize(2);
  run.decisions[0].changes = {{{KnobKind::kWorkers, 1}, 2, 8}};
  run.decisions[1].changes = {{{KnobKind::kWorkers, 0}, 4, 1}};
  EXPECT_EQ(PlannedWorkers(run, {2, 6}), 10);
  EXPECT_EQ(PlannedWorkers(run, {9, 6}), 12) << "no more than there were";
}

TEST(OverUntouched, IsTheEndBesideThatOfTheStart) {
  const Written best = Written().For(120, 100);
  EXPECT_NEAR(*Scored(Written().For(120, 60), Written().For(120, 80), best).over_untouched, 0.75, kNear);
  EXPECT_FALSE(Scored(Written().For(120, 60), Written().For(120, 0), best).over_untouched);
}

TEST(NoteBest, ComparesWithTheBestThatKeepsWithinItsMemory) {
  Scores ours = Scored(Written().For(120, 60)), oracle = Scored(Written().For(120, 50));
  Scores rule = Scored(Written().For(120, 80)), greedy = Scored(Written().Buffers(1.2).For(120, 100));
  NoteBest({&ours, &oracle, &rule, &greedy});
  EXPECT_NEAR(*ours.over_best, 0.75, kNear);
  EXPECT_NEAR(*rule.over_best, 1, kNear);
  EXPECT_NEAR(*greedy.over_best, 1, kNear);
}

// R7

TEST(WorstWindow, IsComparedWithTheWorstThatTheStartSettingHas) {
  const Written start = Written().For(120, 50);
  const auto scores = Scored(Written().For(10, 50).For(2, 40).For(108, 100), start, Written().For(120, 100));
  EXPECT_NEAR(scores.worst_window, 0.8, kNear);
}

TEST(WorstWindow, DoesNotCountTheFillingOfThePipeline) {
  const Written start = Written().For(1, 30).For(119, 50);
  const auto scores = Scored(Written().For(1, 10).For(119, 50), start, Written().For(120, 100));
  EXPECT_NEAR(scores.worst_window, 1, kNear);
}

TEST(WorstWindow, SeesHarmInAGoodStretchThoughAnotherIsWorseAnyway) {
  const Written start = Written().For(60, 100).For(60, 50);
  const auto scores =
      Scored(Written().For(30, 100).For(2, 60).For(28, 100).For(60, 50), start, start, {{60, 2}});
  EXPECT_NEAR(scores.worst_window, 0.6, kNear);
}

TEST(WorstWindow, SeesARunThatStops) {
  const Written start = Written().For(120, 50);
  EXPECT_NEAR(Scored(Written().For(100, 50).For(20, 0), start, start).worst_window, 0, 0.05);
}

TEST(WorseThanStart, IsAnEndBelowWhatTheStartSettingWouldHaveGiven) {
  const Written start = Written().For(120, 80), best = Written().For(120, 100);
  EXPECT_TRUE(Scored(Written().For(60, 100).For(60, 75), start, best).worse_than_start);
  EXPECT_FALSE(Scored(Written().For(60, 50).For(60, 80), start, best).worse_than_start);
}

// R8

TEST(Diagnosed, IsTheShareOfTheTimeAfterT95WithTheRightWord) {
  const auto scores = Scored(Written()
                                 .Says(Limit::kCores)
                                 .For(20, 50)
                                 .Says(Limit::kConsumer)
                                 .For(75, 100)
                                 .Says(Limit::kOp, 1)
                                 .For(25, 100));
  EXPECT_NEAR(scores.diagnosed.value_or(0), 0.75, kNear);
}

TEST(Diagnosed, IsMissingWhereNothingIsEverNamedOrT95NeverComes) {
  const auto silent = Scored(Written().For(120, 100));
  EXPECT_FALSE(silent.names_limit);
  EXPECT_FALSE(silent.diagnosed);
  const auto late = Scored(Written().Says(Limit::kOp, 1).For(120, 50));
  EXPECT_TRUE(late.names_limit);
  EXPECT_FALSE(late.diagnosed);
}

}  // namespace
}  // namespace sluice::evaluation::testing

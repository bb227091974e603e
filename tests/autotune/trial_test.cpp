#include "experiment/trial.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class TrialOfOneOp : public ::testing::Test {
 protected:
  TrialOfOneOp() {
    Graph graph;
    graph.ops = {{.name = "decode", .kind = "map"}};
    graph.connectors = {{"decode->consumer", OpId(0), std::nullopt}};
    seen_.graph = std::make_shared<const Graph>(graph);
    seen_.ops.resize(1);
    seen_.connectors.resize(1);
    seen_.knobs = {{.id = kWorkers, .name = "decode.workers", .value = 1, .requested = 3, .max = 8}};
  }

  Trial Start(TrialKind kind, double predicted = 2000) const {
    TrialPlan plan{.decision = 7, .kind = kind, .changes = {{kWorkers, 1, 3}}, .predicted = predicted};
    plan.before = {.windows = 20, .mean = 1000, .noise = 0.02};
    return Trial(plan, seen_.at, {});
  }

  // `busy`: of the consumer's time, that it does not wait.
  TrialStep Pass(Trial& trial, double rate, Cleanliness state = Cleanliness::kClean, double busy = 0) {
    seen_.at += milliseconds(200);
    Interval interval;
    interval.state = state;
    interval.at = seen_.at;
    interval.seconds = 0.2;
    interval.ops.resize(1);
    interval.ops[0].items = interval.consumer_items = rate * 0.2;
    interval.consumer_busy = busy * 0.2;
    return trial.Add(seen_, interval, {1.0}, 0);
  }

  // The first step that is not kRunning, and how many ticks after the settling it came.
  TrialStep Result(Trial& trial, double rate, int* ticks = nullptr) {
    seen_.knobs[0].value = 3;
    EXPECT_EQ(Pass(trial, rate), TrialStep::kRunning);  // in force
    EXPECT_EQ(Pass(trial, rate), TrialStep::kRunning);  // settling
    for (int n = 1; n < 100; ++n) {
      const TrialStep step = Pass(trial, rate);
      if (step == TrialStep::kRunning) continue;
      if (ticks != nullptr) *ticks = n;
      return step;
    }
    return TrialStep::kRunning;
  }

  static constexpr KnobId kWorkers{KnobKind::kWorkers, 0};
  Snapshot seen_;
};

TEST_F(TrialOfOneOp, KeepsAGainAndMeasuresIt) {
  Trial trial = Start(TrialKind::kGrowth);
  EXPECT_EQ(Result(trial, 1500), TrialStep::kKeep);
  EXPECT_NEAR(trial.windows().Summary().mean, 1500, 1);
}

TEST_F(TrialOfOneOp, ComparesNothingWhileAnotherPhasePasses) {
  Trial trial = Start(TrialKind::kGrowth);
  seen_.knobs[0].value = 3;
  TrialStep step = TrialStep::kRunning;
  for (int turn = 0; turn < 10 && step == TrialStep::kRunning; ++turn) {
    trial.Turn(1);
    for (int n = 0; n < 10; ++n) ASSERT_EQ(Pass(trial, 100), TrialStep::kRunning);
    trial.Turn(0);
    step = Pass(trial, 1500);
  }
  EXPECT_EQ(step, TrialStep::kKeep);
  EXPECT_NEAR(trial.windows().Summary().mean, 1500, 1);
}

TEST_F(TrialOfOneOp, IsOverWhereItsPhaseDoesNotComeBackSoon) {
  Trial trial = Start(TrialKind::kGrowth);
  seen_.knobs[0].value = 3;
  EXPECT_EQ(Pass(trial, 1500), TrialStep::kRunning);
  trial.Turn(1);
  for (int n = 0; n < 14; ++n) ASSERT_EQ(Pass(trial, 100), TrialStep::kRunning) << n;
  TrialStep step = TrialStep::kRunning;
  for (int n = 0; n < 2 && step == TrialStep::kRunning; ++n) step = Pass(trial, 100);
  EXPECT_EQ(step, TrialStep::kOver);
}

TEST_F(TrialOfOneOp, DoesNotMeasureForLongAgainstAGlimpse) {
  const auto after_a_glimpse = [this] {
    TrialPlan plan{.decision = 1, .changes = {{kWorkers, 1, 3}}, .predicted = 9000};
    plan.before = {.windows = 1, .mean = 1000, .noise = 1.0};
    return Trial(plan, seen_.at, {});
  };
  Trial gain = after_a_glimpse();
  int ticks = 0;
  EXPECT_EQ(Result(gain, 8000, &ticks), TrialStep::kKeep);
  EXPECT_LE(ticks, 3);
  Trial doubtful = after_a_glimpse();
  EXPECT_EQ(Result(doubtful, 800), TrialStep::kKeep) << "one item says too little of the rate before";
  EXPECT_NEAR(doubtful.plan().LeastBefore({}), 100, 1e-9);
  EXPECT_NEAR(Start(TrialKind::kGrowth).plan().LeastBefore({}), 1000, 1e-9);
}

TEST_F(TrialOfOneOp, AsksForNoMoreThanWasPromised) {
  Trial modest = Start(TrialKind::kGrowth, 1020);
  EXPECT_EQ(Result(modest, 1015), TrialStep::kKeep);
  Trial no_better = Start(TrialKind::kGrowth, 1020);
  EXPECT_EQ(Result(no_better, 1005), TrialStep::kRollBack);
  Trial bold = Start(TrialKind::kGrowth, 1500);
  EXPECT_EQ(Result(bold, 1015), TrialStep::kRollBack);
}

TEST_F(TrialOfOneOp, EndsACollapseBeforeItHasSettled) {
  Trial growth = Start(TrialKind::kGrowth);
  seen_.knobs[0].value = 3;
  EXPECT_EQ(Pass(growth, 1000), TrialStep::kRunning);
  EXPECT_EQ(Pass(growth, 100), TrialStep::kRollBack);
  Trial trim = Start(TrialKind::kTrim);
  EXPECT_EQ(Pass(trim, 1000), TrialStep::kRunning);
  EXPECT_EQ(Pass(trim, 100), TrialStep::kRollBack) << "while the items of the workers that went still leave";
}

// Items that leave in order wait for the slowest of them.
TEST_F(TrialOfOneOp, DoesNotTakeAGapForACollapseBeforeTheLatestItemsCanHaveArrived) {
  TrialPlan plan = Start(TrialKind::kGrowth).plan();
  plan.latest = 1.0;
  Trial trial(plan, seen_.at, {});
  seen_.knobs[0].value = 3;
  for (int n = 0; n < 5; ++n) EXPECT_EQ(Pass(trial, 0), TrialStep::kRunning) << n;
  EXPECT_EQ(Pass(trial, 0), TrialStep::kRollBack);
}

// The last op starves for a second: behind one item that takes long, or because the first op makes less.
TEST(Trial, TakesAGapForACollapseOnlyWhereAnOpThatWorksMakesLess) {
  Graph graph;
  graph.ops = {{.name = "read", .kind = "source"}, {.name = "decode", .kind = "map"}};
  const auto step_at = [&graph](double read, double busy = 3) {
    Snapshot seen;
    seen.graph = std::make_shared<const Graph>(graph);
    seen.ops.resize(2);
    const KnobId readers{KnobKind::kWorkers, 0};
    seen.knobs = {{.id = readers, .name = "read.workers", .value = 3, .requested = 3, .max = 8}};
    TrialPlan plan{.decision = 1, .changes = {{readers, 1, 3}}, .predicted = 2000};
    plan.before = {.windows = 20, .mean = 1000, .noise = 0.02};
    Trial trial(plan, seen.at, {});
    Interval gap;
    gap.state = Cleanliness::kClean;
    gap.seconds = 1;
    gap.ops.resize(2);
    gap.ops[0].items = read;
    gap.ops[0].busy = busy;
    gap.ops[0].backed_up = 3 - busy;
    gap.ops[1].starved = 1;
    EXPECT_EQ(trial.Add(seen, gap, {1.0, 1.0}, 1), TrialStep::kRunning) << "in force";
    return trial.Add(seen, gap, {1.0, 1.0}, 1);
  };
  EXPECT_EQ(step_at(1500), TrialStep::kRunning);
  EXPECT_EQ(step_at(100), TrialStep::kRollBack);
  EXPECT_EQ(step_at(100, 1), TrialStep::kRunning) << "full buffers drain first";
}

TEST_F(TrialOfOneOp, RollsALossBackWithinTwoWindows) {
  Trial trial = Start(TrialKind::kGrowth);
  int ticks = 0;
  EXPECT_EQ(Result(trial, 850, &ticks), TrialStep::kRollBack);
  EXPECT_LE(ticks, 2);
}

TEST_F(TrialOfOneOp, RollsGrowthBackThatBuysNothing) {
  Trial trial = Start(TrialKind::kGrowth);
  EXPECT_EQ(Result(trial, 1000), TrialStep::kRollBack);
}

TEST_F(TrialOfOneOp, KeepsATrimThatCostsNothingAndUndoesOneThatCosts) {
  Trial free = Start(TrialKind::kTrim);
  EXPECT_EQ(Result(free, 1000), TrialStep::kKeep);
  Trial costly = Start(TrialKind::kTrim);
  EXPECT_EQ(Result(costly, 950), TrialStep::kRollBack);
}

// The rate before wavered so much that the test would take ten seconds.
TEST_F(TrialOfOneOp, EndsATrimThatCostsAConsumerThatLackedNothingHalfASecond) {
  TrialPlan plan = Start(TrialKind::kTrim).plan();
  plan.served = true;
  plan.before.noise = 0.5;
  Trial trim(plan, seen_.at, {});
  seen_.knobs[0].value = 3;
  const auto pass = [&](double starved) {
    seen_.at += milliseconds(200);
    Interval interval;
    interval.state = Cleanliness::kClean;
    interval.seconds = 0.2;
    interval.ops.resize(1);
    interval.ops[0].items = interval.consumer_items = 0.2 * 1000 * (1 - starved);
    interval.consumer_starved = 0.2 * starved;
    interval.consumer_busy = 0.2 - interval.consumer_starved;
    return trim.Add(seen_, interval, {1.0}, 0);
  };
  for (int n = 0; n < 10; ++n) EXPECT_EQ(pass(0.03), TrialStep::kRunning) << "no loss to see";
  for (int n = 0; n < 3; ++n) EXPECT_EQ(pass(0.8), TrialStep::kRunning);
  EXPECT_EQ(pass(0.8), TrialStep::kRollBack);
}

TEST_F(TrialOfOneOp, AsksOfADescentWhetherAGainIsLikelierThanALoss) {
  Trial gains = Start(TrialKind::kDescent, 1031);
  EXPECT_EQ(Result(gains, 1015), TrialStep::kKeep);
  Trial loses = Start(TrialKind::kDescent, 1031);
  EXPECT_EQ(Result(loses, 985), TrialStep::kRollBack);
  Trial to_the_cores = Start(TrialKind::kDescent, 1000);
  EXPECT_EQ(Result(to_the_cores, 1000), TrialStep::kKeep) << "nothing was promised";
}

TEST_F(TrialOfOneOp, DoesNotMeasureBeforeTheChangeIsInForce) {
  Trial trial = Start(TrialKind::kGrowth);
  for (int n = 0; n < 10; ++n) EXPECT_EQ(Pass(trial, 500), TrialStep::kRunning);
  EXPECT_EQ(trial.windows().Summary().windows, 0u);
}

TEST_F(TrialOfOneOp, GivesUpOnALiveChangeThatNeverComes) {
  Trial trial = Start(TrialKind::kGrowth);
  seen_.at += seconds(6);
  EXPECT_EQ(Pass(trial, 1000), TrialStep::kRefused);
}

TEST_F(TrialOfOneOp, WaitsForTheEpochWhereAKnobNeedsOne) {
  seen_.knobs[0].takes_effect = TakesEffect::kNextEpoch;
  Trial trial = Start(TrialKind::kGrowth);
  seen_.at += seconds(600);
  EXPECT_EQ(Pass(trial, 1000), TrialStep::kRunning);
}

TEST_F(TrialOfOneOp, IgnoresIntervalsInWhichTheRunWasPaused) {
  Trial trial = Start(TrialKind::kGrowth);
  seen_.knobs[0].value = 3;
  for (int n = 0; n < 3; ++n) (void)Pass(trial, 1500);
  for (int n = 0; n < 20; ++n) EXPECT_EQ(Pass(trial, 0, Cleanliness::kPaused), TrialStep::kRunning);
}

TEST_F(TrialOfOneOp, DoesNotUndoWhatTheUserPinnedMeanwhile) {
  Trial trial = Start(TrialKind::kGrowth);
  seen_.knobs[0].value = 3;
  EXPECT_EQ(trial.Reverse(seen_), (std::vector<KnobChange>{{kWorkers, 3, 1}}));
  seen_.knobs[0].holder = Holder::kUser;
  EXPECT_TRUE(trial.Reverse(seen_).empty());
}

}  // namespace
}  // namespace sluice::autotune

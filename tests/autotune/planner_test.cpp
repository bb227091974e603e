#include "propose/planner.h"

#include <gtest/gtest.h>

#include <utility>

#include "autotune/planned.h"

namespace sluice::autotune::testing {
namespace {

std::vector<int> Trimmed(const Planned& p, double rate) {
  const Planner planner = p.planner();
  return planner.Trim(planner.Enough(rate)).target.workers;
}

TEST(Planner, GivesTheBottleneckWhatTheCoresFeedAndLeavesTheRest) {
  const Planned p;
  const Plan plan = p.planner().Grow();
  EXPECT_GE(plan.target.workers[1], 8);
  EXPECT_LE(plan.target.workers[1], 10);
  EXPECT_EQ(plan.target.workers[0], 1);
  EXPECT_NEAR(plan.predicted, 8 / 0.0041, 1);
}

// A storage may be full.
TEST(Planner, GrowsNoOpThatWaitsMoreThanEightFoldAtOnce) {
  Planned p;
  p.estimate.ops[0].wait = 0.1;
  p.estimate.ops[0].regime = Regime::kWaits;
  EXPECT_EQ(p.planner().Grow().target.workers[0], 8);
  p.Workers(0).value = 4;
  EXPECT_EQ(p.planner().Grow().target.workers[0], 32);
}

TEST(Planner, GrowsAnOpThatComputesAsFarAsTheCoresGo) {
  Planned p;
  p.seen.budget.cores = 48;
  EXPECT_EQ(p.planner().Grow().target.workers[1], 48);
}

TEST(Planner, LeavesAPinnedKnobAndOneForTheNextRunAlone) {
  Planned p;
  p.Workers(1).holder = Holder::kUser;
  for (const KnobChange& change : p.planner().Grow().changes) EXPECT_NE(change.knob, p.Workers(1).id);
  p.Workers(1).holder = Holder::kAuto;
  p.Workers(1).takes_effect = TakesEffect::kNextRun;
  for (const KnobChange& change : p.planner().Grow().changes) EXPECT_NE(change.knob, p.Workers(1).id);
  p.settings.advise = true;
  EXPECT_GE(p.planner().Grow().target.workers[1], 8) << "advice may speak of the next run";
}

TEST(Planner, StepsDownToTheBestCountOfAContendedOp) {
  Planned p;
  p.Workers(1).value = 8;
  p.seen.budget.cores = 64;
  p.estimate.ops[1].curve = {.law = {0, 0.1}, .seen = {{1, 1}, {8, 1}}};
  p.estimate.ops[1].busy_workers = 8;
  EXPECT_EQ(p.planner().Grow().target.workers[1], 3);
}

TEST(Planner, TakesWorkersFromACrowdedOpWhereTheOthersNeedTheCores) {
  Planned p;
  p.Workers(1).value = 10;
  p.seen.budget.cores = 16;
  p.estimate.ops[0].cpu = 0.03;
  p.estimate.ops[1].cpu = 0.01;
  p.estimate.ops[1].curve = {.law = {0, 0.01}, .seen = {{1, 1}, {10, 1}}};
  p.estimate.ops[1].regime = Regime::kContended;
  EXPECT_LE(p.planner().Grow().target.workers[1], 6);
  p.seen.budget.cores = 64;
  EXPECT_EQ(p.planner().Grow().target.workers[1], 10);
}

TEST(Planner, TriesFewerOfAContendedOpEvenIfTheyPromiseNoMore) {
  Planned p;
  p.Workers(1).value = 12;
  p.seen.budget.cores = 64;
  p.estimate.ops[1].wait = 0.02;
  p.estimate.ops[1].reads_nothing = true;
  p.estimate.ops[1].busy_workers = 12;
  p.estimate.ops[1].curve = {.law = {0, 0.02}, .seen = {{1, 1}, {12, 1}}};
  p.estimate.ops[1].regime = Regime::kContended;
  EXPECT_EQ(Trimmed(p, p.planner().model().Optimum().rate)[1], 7);
  p.Workers(1).value = 9;
  EXPECT_EQ(Trimmed(p, p.planner().model().Optimum().rate)[1], 7);
  p.Workers(1).value = 8;
  EXPECT_EQ(Trimmed(p, p.planner().model().Optimum().rate)[1], 8) << "near enough";
  p.Workers(1).value = 12;
  p.estimate.ops[1].curve = {};
  p.estimate.ops[1].regime = Regime::kWaits;
  EXPECT_EQ(Trimmed(p, p.planner().model().Optimum().rate)[1], 12);
}

// One decision for both: a trim would take another one later.
TEST(Planner, TakesDownWithAGrowthWhatItDoesNotNeed) {
  Planned p;
  p.Workers(0).value = 64;
  p.estimate.ops[0].items = p.estimate.ops[1].items = 100;
  EXPECT_EQ(p.planner().Grow().target.workers[0], 1);
  EXPECT_GE(p.planner().Grow().target.workers[1], 8);
  p.estimate.ops[0].items = 5;
  EXPECT_EQ(p.planner().Grow().target.workers[0], 64) << "five items say too little";
  p.estimate.ops[0].items = 100;
  p.Workers(1).value = 10;
  p.Capacity(0).value = p.Capacity(1).value = 1000;
  EXPECT_TRUE(p.planner().Grow().changes.empty()) << "by itself it is a trim, which waits for its time";
}

// Of an op that idles until a concat's next input begins nothing is known before that has come once.
TEST(Planner, TrimsWhatIdlesInThePresentPhaseOnceItWasSeenAtWork) {
  Planned p;
  p.estimate.demand = 100;
  p.Workers(0).value = p.Workers(1).value = 64;
  p.estimate.phases = {{.active = {false, true}, .flowing = {true, true}},
                       {.active = {true, true}, .flowing = {true, true}}};
  const double items = std::exchange(p.estimate.ops[0].items, 0);
  EXPECT_EQ(Trimmed(p, 100), (std::vector<int>{64, 1}));
  p.estimate.ops[0].items = items;
  EXPECT_EQ(Trimmed(p, 100), (std::vector<int>{1, 1}));
}

TEST(Planner, HoldsEveryPlanToTheByteBudget) {
  for (const std::int64_t mib : {64, 32, 16, 10}) {
    Planned p;
    p.estimate.ops[1].variability = 3;
    p.seen.budget.memory = Bytes{mib << 20};
    const Planner planner = p.planner();
    const Plan plan = planner.Grow();
    EXPECT_LE(planner.Held(plan.target), static_cast<double>(mib << 20)) << mib << " MiB";
  }
}

// Items of 1 MB: 30 buffered ones are to give way to 30 in the making, and the budget holds 40.
TEST(Planner, MakesRoomBeforeItGrowsWhereBothWouldNotFit) {
  Planned p;
  p.seen.budget = {.cores = 64, .memory = Bytes{40'000'000}};
  p.Capacity(0).value = 30;
  p.Capacity(1).value = 1;
  Planner planner = p.planner();
  Setting target = planner.present();
  target.capacity[0] = 1;
  target.workers[1] = 16;
  const Plan first = planner.Towards(target);
  EXPECT_TRUE(first.makes_room);
  ASSERT_EQ(first.changes.size(), 1u);
  EXPECT_EQ(first.changes[0].to, 1);
  p.Capacity(0).value = 1;
  const Plan then = p.planner().Towards(target);
  EXPECT_FALSE(then.makes_room);
  EXPECT_EQ(then.target.workers[1], 16);
}

// The same with three buffered ones: all but one of the 16 workers find room beside them.
TEST(Planner, GrowsAtOnceWhereMostOfItFitsBesideWhatIsToShrink) {
  Planned p;
  p.seen.budget = {.cores = 64, .memory = Bytes{19'000'000}};
  p.Capacity(0).value = 3;
  p.Capacity(1).value = 1;
  Planner planner = p.planner();
  Setting target = planner.present();
  target.capacity[0] = 1;
  target.workers[1] = 16;
  const Plan plan = planner.Towards(target);
  EXPECT_FALSE(plan.makes_room);
  EXPECT_EQ(plan.target.capacity[0], 1);
  EXPECT_EQ(plan.target.workers[1], 15);
  Setting both = plan.target;
  both.capacity[0] = 3;
  EXPECT_LE(planner.Held(both), planner.MemoryLimit()) << "while the three drain";
}

TEST(Planner, GivesScarceMemoryToTheWorkersThatOneRateKeepsBusy) {
  Planned p;
  p.estimate.ops[0].cpu = 0;
  p.estimate.ops[0].wait = 0.5;
  p.estimate.ops[1].cpu = 0.1;
  p.estimate.demand = 100;
  p.Workers(0).value = 16;
  p.seen.budget = {.cores = 16, .memory = Bytes{50'000'000}};
  const Plan plan = p.planner().Grow();
  EXPECT_TRUE(plan.short_of_memory);
  EXPECT_NEAR(plan.target.workers[0], 5 * plan.target.workers[1], 5) << "half a second against a tenth";
  EXPECT_GE(plan.target.workers[0] + plan.target.workers[1], 47);
}

TEST(Planner, ReckonsWithTheCoresThatOthersLeave) {
  Planned p;
  p.Workers(1).value = 8;
  p.estimate.workers = 9;
  p.estimate.cores_used = 4;
  p.estimate.queued = 4;
  EXPECT_NEAR(p.planner().model().Optimum().rate, 8 / 0.0041, 1) << "whether they are taken is not known";
  p.estimate.idle = 0;
  EXPECT_NEAR(p.planner().model().Optimum().rate, 4 / 0.0041, 1);
  EXPECT_EQ(Trimmed(p, 1)[1], p.planner().present().workers[1]) << "they may be given back";
  p.estimate.idle = 3;
  EXPECT_NEAR(p.planner().model().Optimum().rate, 7 / 0.0041, 1) << "one is taken";
  p.estimate.idle = 0;
  p.estimate.queued = 3;
  EXPECT_NEAR(p.planner().model().Optimum().rate, 8 / 0.0041, 1) << "more workers would get more of them";
  p.estimate.queued = 0.5;
  EXPECT_NEAR(p.planner().model().Optimum().rate, 8 / 0.0041, 1) << "a queue by chance";
}

// While readers keep their order behind an item that takes twenty times the mean, the op behind has nothing.
TEST(Planner, HoldsBeforeTheConsumerWhatItTakesWhileASlowItemHoldsUpAnOpFurtherBefore) {
  Planned p;
  p.Workers(0).value = 12;
  p.Workers(0).holder = Holder::kUser;
  p.estimate.ops[0].wait = 0.02;
  p.estimate.ops[0].variability = 4;
  p.estimate.demand = 10;
  EXPECT_GT(p.planner().Grow().target.capacity[1], 500);
  p.estimate.ops[0].visits = 32;  // the last op makes one item of 32
  EXPECT_NEAR(static_cast<double>(p.planner().Grow().target.capacity[1]), 890.0 / 32, 5);
  p.estimate.ops[0].variability = 0.09;
  EXPECT_LT(p.planner().Grow().target.capacity[1], 12);
}

// Half a second until more workers deliver more.
TEST(Planner, HoldsBeforeAConsumerThatSetsThePaceWhatItTakesUntilMoreIsMade) {
  Planned p;
  p.estimate.demand = 400;
  EXPECT_EQ(p.planner().Grow().target.capacity[1], 200);
  p.seen.budget.memory = 400_MiB;
  EXPECT_EQ(p.planner().Grow().target.capacity[1], 42) << "a tenth of the byte budget";
  p.estimate.demand = 4000;
  p.seen.budget.memory = {};
  EXPECT_LT(p.planner().Grow().target.capacity[1], 100) << "the cores set the pace: nothing will lie in it";
}

TEST(Planner, HopesForWhatTheConsumerTakesWhereItSetsThePace) {
  Planned p;
  p.estimate.demand = 400;
  EXPECT_NEAR(p.planner().Hoped(), 400, 1e-9);
  EXPECT_TRUE(p.planner().Grow().feeds);
  p.estimate.demand = 1e6;
  EXPECT_FALSE(p.planner().Grow().feeds);
  EXPECT_GT(p.planner().Hoped(), 500) << "the cores set the pace";
}

TEST(Planner, ShrinksWhatIsInForceWhereTheBudgetHasShrunk) {
  Planned p;
  p.Capacity(0).value = p.Capacity(1).value = 100;
  p.seen.budget.memory = 64_MiB;
  const Planner planner = p.planner();
  EXPECT_FALSE(planner.Fit().changes.empty());
  EXPECT_LE(planner.Held(planner.Fit().target), 64.0 * (1 << 20));
}

TEST(Planner, NudgesTheBusiestOpByAQuarter) {
  Planned p;
  p.Workers(1).value = 8;
  p.seen.budget.cores = 16;
  const Plan plan = p.planner().Nudge({.windows = 30, .mean = 1000});
  EXPECT_EQ(plan.target.workers[1], 10);
  EXPECT_NEAR(plan.predicted, 1250, 1);
}

// What lies beyond the counts that were seen is a guess.
TEST(Planner, TriesOneWorkerMoreOfWhatSlowsItselfDown) {
  Planned p;
  p.seen.budget.cores = 64;
  OpEstimate& op = p.estimate.ops[1];
  const auto nudged = [&](int workers) {
    p.Workers(1).value = workers;
    op.curve = {.law = {0.2, 0.01}, .seen = {{1, 1}, {1.0 * workers, 1}}};
    return p.planner().Nudge({.windows = 30, .mean = 1000}).target.workers[1];
  };
  for (const Regime regime : {Regime::kContended, Regime::kStorage}) {
    op.regime = regime;
    EXPECT_EQ(nudged(2), 3);
    EXPECT_EQ(nudged(8), 8) << "a ninth promises less than a trial can see";
  }
}

TEST(Planner, NudgesBuffersWhereTheBusiestOpHasAllCores) {
  Planned p;
  p.Workers(1).value = 8;
  const Plan plan = p.planner().Nudge({.windows = 30, .mean = 1000});
  EXPECT_EQ(plan.target.workers[1], 8);
  EXPECT_EQ(plan.target.capacity, (std::vector<std::int64_t>{2, 2}));
}

TEST(Planner, NudgesNothingWhereNoCoreIsIdle) {
  Planned p;
  p.Workers(1).value = 4;
  p.estimate.cores_used = 7.9;
  EXPECT_TRUE(p.planner().Nudge({.windows = 30, .mean = 1000}).changes.empty());
}

TEST(Planner, NudgesOnlyAnOpThatWaitsWhileOthersTakeTheCores) {
  Planned p;
  p.Workers(1).value = 8;
  p.seen.budget.cores = 16;
  p.estimate.cores_used = 8;
  p.estimate.queued = 3;
  EXPECT_TRUE(p.planner().Nudge({.windows = 30, .mean = 1000}).changes.empty())
      << "it would only take more from them";
  std::swap(p.estimate.ops[1].cpu, p.estimate.ops[1].wait);
  p.estimate.ops[1].regime = Regime::kWaits;
  EXPECT_EQ(p.planner().Nudge({.windows = 30, .mean = 1000}).target.workers[1], 10);
}

TEST(Planner, NudgesNoOpThatQueuesForALock) {
  Planned p;
  p.Workers(1).value = 8;
  p.seen.budget.cores = 16;
  EXPECT_EQ(p.planner().Nudge({.windows = 30, .mean = 1000}).target.workers[1], 10);
  p.estimate.ops[1].regime = Regime::kLocked;
  EXPECT_TRUE(p.planner().Nudge({.windows = 30, .mean = 1000}).changes.empty());
}

TEST(Planner, NudgesBuffersWhereNoOpIsBusy) {
  Planned p;
  p.estimate.ops[1].utilisation = 0.5;
  EXPECT_EQ(p.planner().Nudge({.windows = 30, .mean = 100}).target.capacity,
            (std::vector<std::int64_t>{2, 2}));
}

TEST(Planner, GrowsFromNoWorkersAtAll) {
  Planned p;
  p.estimate.demand = 500;
  p.Workers(1).min = p.Workers(1).value = p.Workers(1).requested = 0;
  EXPECT_GE(p.planner().Grow().target.workers[1], 3) << "2 busy, and what order costs";
}

TEST(Planner, CountsTheMemoryOfWorkersThatAreProcesses) {
  Planned p;
  p.seen.budget.memory = 400_MiB;
  p.seen.ops[1].worker_memory = 100_MiB;
  EXPECT_LE(p.planner().Grow().target.workers[1], 3);
  p.seen.ops[1].worker_memory = {};
  EXPECT_GT(p.planner().Grow().target.workers[1], 3);
}

}  // namespace
}  // namespace sluice::autotune::testing

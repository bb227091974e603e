#include "propose/descent.h"

#include <gtest/gtest.h>

#include "autotune/planned.h"

namespace sluice::autotune::testing {
namespace {

constexpr KnobId kDecoders{KnobKind::kWorkers, 1};

// Busy all the time on eight cores, and never seen otherwise.
Planned Crowded(int decoders) {
  Planned p;
  p.Workers(1).value = decoders;
  p.seen.ops[1].workers = decoders;
  p.estimate.ops[1].busy_workers = p.estimate.ops[1].fewest = decoders;
  return p;
}

TEST(Descent, GoesDownToTheCoresThenByOneThenByHalf) {
  Descent descent({1, 64});
  auto plan = descent.Propose(Crowded(64).planner(), 100, true);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->changes, (std::vector<KnobChange>{{kDecoders, 64, 8}}));
  EXPECT_EQ(plan->predicted, 100) << "one for every core: nothing is lost";
  plan = descent.Propose(Crowded(8).planner(), 100, true);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->changes, (std::vector<KnobChange>{{kDecoders, 8, 7}}));
  EXPECT_GT(plan->predicted, 100);
  descent.Tried({kDecoders, 8, 7}, true);
  plan = descent.Propose(Crowded(7).planner(), 100, true);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->changes, (std::vector<KnobChange>{{kDecoders, 7, 4}}));
}

TEST(Descent, EndsWhereFewerWorkersAreAsFast) {
  Descent descent({1, 64});
  ASSERT_TRUE(descent.Propose(Crowded(64).planner(), 100, true));
  descent.Tried({kDecoders, 64, 8}, false);
  EXPECT_FALSE(descent.Propose(Crowded(8).planner(), 100, true))
      << "eight slow each other down no more than 64";
}

TEST(Descent, IsOpenAgainForAnOpThatHasChangedOrAfterALongTime) {
  Descent descent({1, 64});
  descent.Tried({kDecoders, 64, 62}, false);
  descent.Reopen(0);
  EXPECT_FALSE(descent.Propose(Crowded(64).planner(), 100, true)) << "it is another op that has changed";
  descent.Reopen(1);
  EXPECT_TRUE(descent.Propose(Crowded(64).planner(), 100, true));
  descent.Tried({kDecoders, 64, 62}, false);
  descent.Reopen();
  EXPECT_TRUE(descent.Propose(Crowded(64).planner(), 100, true));
}

// One and 64 were seen: between them the curve is a guess, whoever set them.
TEST(Descent, LooksBetweenTwoCountsFarApart) {
  Planned p = Crowded(64);
  ScalabilityCurve curve;
  for (const double n : {1.0, 64.0}) curve.Add(n, 0.004 * Usl{0.024, 0.0016}.Slowdown(n), 10'000);
  p.estimate.ops[1].curve = curve.Fit(0.01);
  p.estimate.ops[1].fewest = 1;
  const auto plan = Descent({1, 1}).Propose(p.planner(), 100, false);
  ASSERT_TRUE(plan);
  EXPECT_NEAR(plan->target.workers[1], 23, 2);
  EXPECT_GT(plan->predicted, 110);
}

TEST(Descent, WaitsForALongQuietWhereOneWorkerLessCostsMuch) {
  Descent descent({1, 8});
  EXPECT_FALSE(descent.Propose(Crowded(8).planner(), 100, false));
  Planned many = Crowded(64);
  many.seen.budget.cores = 64;
  EXPECT_TRUE(Descent({1, 64}).Propose(many.planner(), 100, false));
}

TEST(Descent, LeavesAloneWhatFewerWereSeenOfOrWhatWasGrown) {
  Planned p = Crowded(64);
  p.estimate.ops[1].fewest = 4;
  EXPECT_FALSE(Descent({1, 64}).Propose(p.planner(), 100, true)) << "its curve is known";
  EXPECT_FALSE(Descent({1, 16}).Propose(Crowded(64).planner(), 100, true)) << "the run began with fewer";
  p = Crowded(64);
  p.estimate.ops[1].utilisation = 0.5;
  EXPECT_FALSE(Descent({1, 64}).Propose(p.planner(), 100, true)) << "it limits nothing";
  p = Crowded(64);
  p.estimate.cores_used = 4;
  p.estimate.queued = 60;
  p.estimate.idle = 0;
  EXPECT_FALSE(Descent({1, 64}).Propose(p.planner(), 100, true)) << "others have the cores";
}

TEST(Descent, ComesToAnEndWhateverBecomesOfItsTrials) {
  Descent descent({1, 64});
  int tries = 0;
  while (tries < 100 && descent.Propose(Crowded(64).planner(), 100, true)) ++tries;
  EXPECT_EQ(tries, 4);
  descent.Reopen();
  EXPECT_TRUE(descent.Propose(Crowded(64).planner(), 100, true));
}

}  // namespace
}  // namespace sluice::autotune::testing

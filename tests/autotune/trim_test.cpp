#include "propose/trim.h"

#include <gtest/gtest.h>

#include "autotune/planned.h"

namespace sluice::autotune::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// The consumer takes 500/s: two busy decoders, three with headroom.
Planned Served(int decoders) {
  Planned p;
  p.estimate.demand = 500;
  p.estimate.starved = 0;
  p.Workers(1).value = decoders;
  return p;
}

std::optional<Plan> At(Trim&& trim, const Planned& p, MonoTime now) {
  return trim.Propose(p.planner(), 400, now, seconds(0));
}

TEST(Trim, StepsDownToWhatTheConsumerNeeds) {
  const auto plan = At(Trim({}), Served(16), seconds(20));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->target.workers[1], 3);
  EXPECT_NEAR(plan->predicted, 500, 1e-6);
}

// They take no core, and a demand that doubles finds them.
TEST(Trim, LeavesTwiceAsManyWorkersAlone) {
  EXPECT_FALSE(At(Trim({}), Served(7), seconds(20)));
  EXPECT_TRUE(At(Trim({}), Served(8), seconds(20)));
}

// It is one decision, whatever it covers.
TEST(Trim, TakesAllDownWhereOneHasMany) {
  Planned p = Served(7);
  p.Workers(0).value = 2;
  EXPECT_FALSE(At(Trim({}), p, seconds(20))) << "neither has many";
  p.Workers(0).value = 16;
  const auto plan = At(Trim({}), p, seconds(20));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->target.workers, (std::vector<int>{1, 3}));
}

// Uneven rows of an op that is nearly always busy: what 13 workers held, the buffer behind three may hold.
TEST(Trim, GivesTheBufferBehindRoomForWhatTheWorkersHeld) {
  Planned p = Served(16);
  p.estimate.demand = 590;
  p.estimate.ops[1].variability = 2;
  const auto plan = At(Trim({}), p, seconds(20));
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->target.workers[1], 3);
  const auto before = p.planner().present().capacity;
  EXPECT_EQ(plan->target.capacity[0], before[0]) << "no reader goes";
  EXPECT_GT(plan->target.capacity[1], before[1]);
  EXPECT_LE(plan->target.capacity[1], before[1] + 13) << "no more is held than before";
}

TEST(Trim, IsStricterWithWorkersThatAreProcesses) {
  Planned p = Served(6);
  EXPECT_FALSE(At(Trim({}), p, seconds(20)));
  p.seen.ops[1].worker_memory = 200_MiB;
  const auto plan = At(Trim({}), p, seconds(20));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->target.workers[1], 3);
}

TEST(Trim, WaitsForQuietAndNotForEver) {
  EXPECT_FALSE(At(Trim({}), Served(16), seconds(3)));
  EXPECT_TRUE(At(Trim({}), Served(16), seconds(20)));
  EXPECT_FALSE(At(Trim({}), Served(16), seconds(60))) << "by then only noise could suggest it";
}

TEST(Trim, TakesTheMostThatAnyLookOfTheRestAskedFor) {
  Trim trim({});
  Planned busier = Served(20);
  busier.estimate.ops[1].cpu = 0.012;
  EXPECT_FALSE(trim.Propose(busier.planner(), 400, seconds(2), seconds(0)));
  const auto plan = trim.Propose(Served(20).planner(), 400, seconds(20), seconds(0));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->target.workers[1], 7) << "6 busy ones at the busier look";
  EXPECT_EQ(trim.Propose(Served(16).planner(), 400, seconds(40), seconds(12))->target.workers[1], 3)
      << "another rest";
}

TEST(Trim, PausesLongerEachTimeItIsGivenBack) {
  const Planned p = Served(16);
  Trim trim({});
  trim.GivenBack(minutes(1));
  EXPECT_FALSE(trim.Propose(p.planner(), 400, minutes(10), minutes(10) - seconds(20)));
  EXPECT_TRUE(trim.Propose(p.planner(), 400, minutes(12), minutes(12) - seconds(20)));
  trim.GivenBack(minutes(23));
  EXPECT_FALSE(trim.Propose(p.planner(), 400, minutes(42), minutes(42) - seconds(20)));
  EXPECT_TRUE(trim.Propose(p.planner(), 400, minutes(44), minutes(44) - seconds(20)));
  trim.Kept(minutes(45));
  EXPECT_FALSE(trim.Propose(p.planner(), 400, minutes(60), minutes(60) - seconds(20))) << "as long as before";
}

TEST(Trim, PausesAfterOneThatWasKept) {
  Trim trim({});
  trim.Kept(seconds(100));
  const auto at = [&](Nanos now) { return trim.Propose(Served(16).planner(), 400, now, now - seconds(20)); };
  EXPECT_FALSE(at(minutes(9)));
  EXPECT_TRUE(at(minutes(12)));
}

// Eight cores can give 1951/s, says the model.
TEST(Trim, DoesNotGoByAModelThatMoreComesOutThanItSays) {
  Planned p = Served(64);
  p.estimate.demand = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(Trim({}).Propose(p.planner(), 1900, seconds(20), seconds(0)));
  EXPECT_FALSE(Trim({}).Propose(p.planner(), 2500, seconds(20), seconds(0)));
}

TEST(Trim, LeavesBuffersAloneWhileMemoryIsPlentiful) {
  Planned p = Served(3);
  p.Capacity(1).value = 500;
  EXPECT_FALSE(At(Trim({}), p, seconds(20)));
  p.seen.budget.memory = 600_MiB;
  const auto plan = At(Trim({}), p, seconds(20));
  ASSERT_TRUE(plan);
  EXPECT_LT(plan->target.capacity[1], 100);
}

TEST(Trim, GivesBackACoreThatTheConsumerComputesOn) {
  Planned p = Served(8);
  p.estimate.demand = 1600;
  p.estimate.other_cpu = 0.0006;
  const auto plan = At(Trim({}), p, seconds(20));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->target.workers[1], 7);
}

}  // namespace
}  // namespace sluice::autotune::testing

#include "trim.h"

#include <gtest/gtest.h>

#include "autotune/planned.h"

namespace sluice::testing {
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

TEST(Trim, StepsDownToWhatTheConsumerNeeds) {
  const auto plan = Trim({}).Propose(Served(16).planner(), seconds(60), seconds(0));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->target.workers[1], 3);
  EXPECT_NEAR(plan->predicted, 500, 1e-6);
}

TEST(Trim, LeavesASpareWorkerAlone) {
  EXPECT_FALSE(Trim({}).Propose(Served(4).planner(), seconds(60), seconds(0)));
}

TEST(Trim, IsMoreCarefulWhileTheConsumerWaits) {
  Planned p;
  p.Workers(1).value = 14;
  EXPECT_FALSE(Trim({}).Propose(p.planner(), seconds(60), seconds(0)));
  p.Workers(1).value = 40;
  EXPECT_TRUE(Trim({}).Propose(p.planner(), seconds(60), seconds(0)));
}

TEST(Trim, WaitsForQuietAndPausesLongerAfterEachFailure) {
  const Planned p = Served(16);
  Trim trim({});
  EXPECT_FALSE(trim.Propose(p.planner(), seconds(63), seconds(60)));
  trim.Undone(seconds(60));
  EXPECT_FALSE(trim.Propose(p.planner(), seconds(110), seconds(0)));
  EXPECT_TRUE(trim.Propose(p.planner(), seconds(121), seconds(0)));
  trim.Undone(seconds(120));
  EXPECT_FALSE(trim.Propose(p.planner(), seconds(200), seconds(0)));
  trim.Reopen();
  EXPECT_TRUE(trim.Propose(p.planner(), seconds(200), seconds(0)));
}

TEST(Trim, LeavesBuffersAloneWhileMemoryIsPlentiful) {
  Planned p = Served(3);
  p.Capacity(1).value = 500;
  EXPECT_FALSE(Trim({}).Propose(p.planner(), seconds(60), seconds(0)));
  p.seen.budget.memory = 600_MiB;
  const auto plan = Trim({}).Propose(p.planner(), seconds(60), seconds(0));
  ASSERT_TRUE(plan);
  EXPECT_LT(plan->target.capacity[1], 50);
}

}  // namespace
}  // namespace sluice::testing

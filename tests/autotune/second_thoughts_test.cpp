#include "experiment/second_thoughts.h"

#include <gtest/gtest.h>

#include "autotune/planned.h"

namespace sluice::autotune::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr RateSummary kMeasured{.windows = 30, .mean = 900, .noise = 0.02};

// Four decoders of 4 ms on 8 cores: 1000 rows/s where nearly 2000 are possible.
Planned Hopeful() {
  Planned p;
  p.Workers(1).value = 4;
  return p;
}

TEST(SecondThoughts, LeaveARestForAGainThatLookAfterLookSees) {
  SecondThoughts thoughts({});
  const Planned p = Hopeful();
  for (int look = 1; look < 15; ++look) EXPECT_FALSE(thoughts.SeesAClearGain(p.planner(), kMeasured, 0.5));
  EXPECT_TRUE(thoughts.SeesAClearGain(p.planner(), kMeasured, 0.5));
}

TEST(SecondThoughts, StartAgainAfterALookWithoutGain) {
  SecondThoughts thoughts({});
  const Planned p = Hopeful();
  for (int look = 1; look < 15; ++look) (void)thoughts.SeesAClearGain(p.planner(), kMeasured, 0.5);
  EXPECT_FALSE(thoughts.SeesAClearGain(p.planner(), kMeasured, 0.0)) << "the consumer is served";
  EXPECT_FALSE(thoughts.SeesAClearGain(p.planner(), kMeasured, 0.5));
}

// A slow loader has a window every few seconds: twice the rate is not to wait for twenty of them.
TEST(SecondThoughts, ALargeGainNeedsFewWindows) {
  const Planned p = Hopeful();
  for (const double starved_rate : {900.0, 1700.0}) {
    SecondThoughts thoughts({});
    bool leaves = false;
    for (int look = 0; look < 30; ++look)
      leaves = leaves ||
               thoughts.SeesAClearGain(p.planner(), {.windows = 2, .mean = starved_rate, .noise = 0.05}, 0.5);
    EXPECT_EQ(leaves, starved_rate < 1000) << starved_rate;
  }
}

// A consumer of uneven steps that waits for a tenth of its time: at half of the looks the latest steps were
// so long that it seems to take no more than it gets.
TEST(SecondThoughts, TakeTheConsumersWaitForTheGainWhereItSetsThePace) {
  SecondThoughts thoughts({});
  Planned p = Hopeful();
  const RateSummary measured{.windows = 30, .mean = 1000, .noise = 0.02, .starved = 0.1};
  bool leaves = false;
  for (int look = 1; look <= 15; ++look) {
    p.estimate.demand = look % 2 ? 1000 : 1200;
    leaves = thoughts.SeesAClearGain(p.planner(), measured, 0.1);
  }
  EXPECT_TRUE(leaves);
}

// Two and three workers were as fast as one each, nine much slower: four were never tried.
Planned Contended() {
  Planned p;
  p.Workers(1).value = 3;
  p.seen.budget.cores = 64;
  p.estimate.ops[1].curve = {.law = {0, 0.2}, .seen = {{1, 1}, {2, 1 / 1.4}, {3, 1 / 2.2}, {9, 1}}};
  p.estimate.ops[1].busy_workers = 3;
  return p;
}

TEST(SecondThoughts, TryOneWorkerMoreOfAContendedOpOnlyAfterALongQuiet) {
  SecondThoughts thoughts({});
  const Planned p = Contended();
  EXPECT_FALSE(thoughts.Explore(p.planner(), seconds(100), seconds(0)));
  const auto plan = thoughts.Explore(p.planner(), minutes(4), seconds(0));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->target.workers[1], 4);
  EXPECT_FALSE(thoughts.Explore(p.planner(), minutes(10), minutes(5))) << "not twice within the hour";
  thoughts.Reopen();
  EXPECT_TRUE(thoughts.Explore(p.planner(), minutes(10), minutes(5)));
}

}  // namespace
}  // namespace sluice::autotune::testing

#include "experiment/second_thoughts.h"

#include <gtest/gtest.h>

#include "autotune/planned.h"

namespace sluice::autotune::testing {
namespace {

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
  for (int look = 1; look < 15; ++look) EXPECT_FALSE(thoughts.SeesAClearGain(p.planner(), 0, kMeasured, 0.5));
  EXPECT_TRUE(thoughts.SeesAClearGain(p.planner(), 0, kMeasured, 0.5));
}

TEST(SecondThoughts, StartAgainAfterALookWithoutGain) {
  SecondThoughts thoughts({});
  const Planned p = Hopeful();
  for (int look = 1; look < 15; ++look) (void)thoughts.SeesAClearGain(p.planner(), 0, kMeasured, 0.5);
  EXPECT_FALSE(thoughts.SeesAClearGain(p.planner(), 0, kMeasured, 0.0)) << "the consumer is served";
  EXPECT_FALSE(thoughts.SeesAClearGain(p.planner(), 0, kMeasured, 0.5));
}

// Of a concat whose phases take turns of a second each phase has looks of its own.
TEST(SecondThoughts, CountTheLooksOfEachPhase) {
  SecondThoughts thoughts({});
  const Planned p = Hopeful();
  for (int look = 1; look < 15; ++look) {
    EXPECT_FALSE(thoughts.SeesAClearGain(p.planner(), 0, kMeasured, 0.5)) << look;
    EXPECT_FALSE(thoughts.SeesAClearGain(p.planner(), 1, kMeasured, 0.0)) << "served in the other phase";
  }
  EXPECT_TRUE(thoughts.SeesAClearGain(p.planner(), 0, kMeasured, 0.5));
}

// A slow loader has a window every few seconds: twice the rate is not to wait for twenty of them.
TEST(SecondThoughts, ALargeGainNeedsFewWindows) {
  const Planned p = Hopeful();
  for (const double starved_rate : {900.0, 1700.0}) {
    SecondThoughts thoughts({});
    bool leaves = false;
    for (int look = 0; look < 30; ++look)
      leaves = leaves || thoughts.SeesAClearGain(p.planner(), 0,
                                                 {.windows = 2, .mean = starved_rate, .noise = 0.05}, 0.5);
    EXPECT_EQ(leaves, starved_rate < 1000) << starved_rate;
  }
}

}  // namespace
}  // namespace sluice::autotune::testing

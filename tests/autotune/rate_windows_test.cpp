#include "observe/rate_windows.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

Interval Tick(double rows, double batches, double served, double seconds = 0.2) {
  Interval i;
  i.seconds = seconds;
  i.ops.resize(1);
  i.ops[0].items = rows;
  i.consumer_items = batches;
  i.consumer_busy = served * seconds;
  i.consumer_starved = (1 - served) * seconds;
  return i;
}

TEST(RateWindows, CountRowsSoThatRareBatchesDoNotBlurTheRate) {
  RateWindows windows({});
  EXPECT_NEAR(windows.Add(Tick(64, 0, 0), 0, 64)->rate, 5, 1e-9);
}

TEST(RateWindows, WaitForEnoughItems) {
  RateWindows windows({});
  EXPECT_FALSE(windows.Add(Tick(10, 0, 0), 0, 1));
  EXPECT_NEAR(windows.Add(Tick(10, 0, 0), 0, 1)->rate, 50, 1e-9);
}

// The pipeline then moves in steps of a batch: 64 or 128 rows in 200 ms are the same rate.
TEST(RateWindows, AreLongerWhereTheConsumerSetsThePace) {
  RateWindows windows({});
  int closed = 0;
  for (int tick = 0; tick < 20; ++tick)
    closed += windows.Add(Tick(tick % 2 ? 64 : 128, 1, 1), 0, 64).has_value();
  EXPECT_EQ(closed, 4);
}

TEST(RateWindows, KnowTheirNoise) {
  RateWindows windows({});
  for (int tick = 0; tick < 100; ++tick) windows.Add(Tick(tick % 2 ? 80 : 120, 0, 0), 0, 1);
  EXPECT_NEAR(windows.Summary().noise, 0.2, 0.02);
  EXPECT_NEAR(windows.Summary().mean, 500, 0.5);
}

// Phases of a second show a dozen windows in a few turns, and no window has parts of two phases.
TEST(RateWindows, StayWhileAnotherPhasePasses) {
  RateWindows windows({});
  for (int turn = 0; turn < 4; ++turn) {
    windows.Turn(0);
    for (int tick = 0; tick < 3; ++tick) windows.Add(Tick(100, 0, 0), 0, 1);
    windows.Add(Tick(7, 0, 0), 0, 1);
    windows.Turn(1);
    for (int tick = 0; tick < 2; ++tick) windows.Add(Tick(20, 0, 0), 0, 1);
  }
  EXPECT_EQ(windows.Summary().windows, 8u);
  EXPECT_NEAR(windows.Summary().mean, 100, 1e-9);
  windows.Turn(0);
  EXPECT_EQ(windows.Summary().windows, 12u);
  EXPECT_NEAR(windows.Summary().mean, (4 * 307 - 7) / 3.0, 1e-9);
}

// In a turn of a fifth of a second nothing is enough for a window; three of them are.
TEST(RateWindows, GoOnWhereTheirPhaseComesBackBeforeTheyWereLong) {
  RateWindows windows({});
  for (int turn = 1; turn <= 4; ++turn) {
    windows.Turn(0);
    windows.Add(Tick(6, 0, 0), 0, 1);
    EXPECT_EQ(windows.Summary().windows, turn < 3 ? 0u : 1u) << turn;
    windows.Turn(1);
    windows.Add(Tick(100, 0, 0), 0, 1);
  }
  windows.Turn(0);
  EXPECT_NEAR(windows.Summary().mean, 30, 1e-9);
}

// `sluice run` looks every 100 ms, `sluice wrap` every 200: as much evidence has to take as long in both.
// Behind an item that takes 2.8 s in order nothing leaves, and then all that was held up at once.
TEST(RateWindows, CountForAsMuchAsTheyLast) {
  RateWindows windows({});
  for (int n = 0; n < 10; ++n) {
    windows.Add(Tick(16, 0, 0, 3), 0, 1);
    for (int burst = 0; burst < 5; ++burst) windows.Add(Tick(40, 0, 0), 0, 1);
  }
  EXPECT_EQ(windows.Summary().windows, 60u);
  EXPECT_NEAR(windows.Summary().mean, 216 / 4.0, 1e-9);
  EXPECT_GT(windows.Summary().noise, 1);
}

TEST(RateWindows, TakeAsLongWhetherOneLooksOftenOrSeldom) {
  RateWindows often({});
  RateWindows seldom({});
  for (int tick = 0; tick < 20; ++tick) often.Add(Tick(100, 0, 0, 0.1), 0, 1);
  for (int tick = 0; tick < 10; ++tick) seldom.Add(Tick(200, 0, 0, 0.2), 0, 1);
  EXPECT_EQ(often.Summary().windows, 10u);
  EXPECT_EQ(seldom.Summary().windows, 10u);
}

TEST(RateWindows, KnowAfterAGlimpseOfNothingWhatTheRateIsAtMost) {
  RateWindows windows({});
  EXPECT_FALSE(windows.Glimpse(1));
  windows.Add(Tick(0, 0, 0), 0, 1);
  windows.Add(Tick(0, 0, 0), 0, 1);
  ASSERT_TRUE(windows.Glimpse(1));
  EXPECT_NEAR(windows.Glimpse(1)->mean, 2.5, 1e-9);
  EXPECT_NEAR(windows.Glimpse(1)->noise, 1, 1e-9);
}

TEST(RateWindows, SpeakOfWhatHappenedLast) {
  RateWindows windows({});
  for (int tick = 0; tick < 50; ++tick) windows.Add(Tick(300, 0, 0), 0, 1);
  for (int tick = 0; tick < 10; ++tick) windows.Add(Tick(100, 0, 0), 0, 1);
  EXPECT_NEAR(windows.Recent().mean, 500, 0.5);
  EXPECT_GT(windows.Summary().mean, 1000);
}

}  // namespace
}  // namespace sluice::autotune

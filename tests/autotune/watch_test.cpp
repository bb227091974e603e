#include "watch/watch.h"

#include <gtest/gtest.h>

#include "sluice/base/rng.h"

namespace sluice::autotune {
namespace {

Interval Made(double items, double cpu) {
  Interval i;
  i.state = Cleanliness::kClean;
  i.seconds = 0.2;
  i.ops.resize(1);
  i.ops[0].items = items;
  i.ops[0].cpu = items * cpu;
  return i;
}

// Samples until a shift is found, at most `most`.
int SamplesUntilShift(ShiftDetector& detector, double value, double noise, Rng& rng, int most) {
  for (int n = 1; n <= most; ++n) {
    if (detector.Add(value * std::exp(noise * rng.Normal()))) return n;
  }
  return most + 1;
}

class ShiftDetectorAtNoise : public ::testing::TestWithParam<double> {};

TEST_P(ShiftDetectorAtNoise, RaisesNoFalseAlarmInHours) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    ShiftDetector detector{WatchSettings{}};
    Rng rng(seed);
    EXPECT_GT(SamplesUntilShift(detector, 1, GetParam(), rng, 18'000), 18'000);
  }
}

TEST_P(ShiftDetectorAtNoise, FindsADoubledCostSoon) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    ShiftDetector detector{WatchSettings{}};
    Rng rng(seed);
    SamplesUntilShift(detector, 1, GetParam(), rng, 200);
    EXPECT_LE(SamplesUntilShift(detector, 2, GetParam(), rng, 100), 12);
  }
}
INSTANTIATE_TEST_SUITE_P(Watch, ShiftDetectorAtNoise, ::testing::Values(0.02, 0.1, 0.2));

TEST(ShiftDetector, IgnoresDriftOfAFewPercent) {
  ShiftDetector detector{WatchSettings{}};
  Rng rng(1);
  SamplesUntilShift(detector, 1, 0.01, rng, 20);
  EXPECT_GT(SamplesUntilShift(detector, 1.03, 0.01, rng, 5000), 5000);
}

TEST(Watch, NamesTheOpWhoseCostShifted) {
  Watch watch(1, {});
  for (int n = 0; n < 30; ++n) ASSERT_FALSE(watch.Add(Made(50, 0.001), std::nullopt));
  std::optional<Shift> shift;
  for (int n = 0; n < 10 && !shift; ++n) shift = watch.Add(Made(25, 0.002), std::nullopt);
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->what, Watched::kCost);
  EXPECT_GT(shift->ratio, 1.1);
}

// The first has become dearer, the second cheaper.
TEST(Watch, NamesTheShiftThatCallsForMost) {
  Watch watch(2, {});
  const auto made = [](double first, double second) {
    Interval both = Made(20, first);
    both.ops.push_back(Made(20, second).ops[0]);
    return both;
  };
  for (int n = 0; n < 30; ++n) ASSERT_FALSE(watch.Add(made(0.001, 0.001), std::nullopt));
  const auto shift = watch.Add(made(0.004, 0.00025), std::nullopt);
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->op, 0u);
  EXPECT_GT(shift->ratio, 1);
}

// Eight workers begin and end together, every 101 ms: now and then a tick holds one turn less.
TEST(Watch, DoesNotTakeTheBeatOfWorkersAndTicksForAShift) {
  Watch watch(1, {});
  for (int n = 0; n < 300; ++n) {
    Interval tick = Made(n % 100 == 40 ? 8 : 16, 0);
    tick.ops[0].wait = tick.ops[0].busy = 8 * 0.2;
    ASSERT_FALSE(watch.Add(tick, std::nullopt)) << n;
  }
}

TEST(Watch, WaitsNoLongerThanASecondForSlowItems) {
  Watch watch(1, {});
  Interval slow = Made(2, 0);
  slow.ops[0].wait = slow.ops[0].busy = 64 * 0.2;
  for (int n = 0; n < 100; ++n) ASSERT_FALSE(watch.Add(slow, std::nullopt));
  slow.ops[0].items = 1;
  std::optional<Shift> shift;
  for (int n = 0; n < 15 && !shift; ++n) shift = watch.Add(slow, std::nullopt);
  EXPECT_TRUE(shift) << "ten ticks hold ten items, and 64 workers are inside";
}

TEST(Watch, TakesWhatComesAfterArmingForNormal) {
  Watch watch(1, {});
  for (int n = 0; n < 30; ++n) ASSERT_FALSE(watch.Add(Made(50, 0.001), std::nullopt));
  watch.Arm();
  for (int n = 0; n < 30; ++n) ASSERT_FALSE(watch.Add(Made(25, 0.002), std::nullopt));
}

TEST(Watch, NoticesAFasterConsumerAndALostRate) {
  Watch watch(1, {});
  Interval steady = Made(50, 0.001);
  steady.consumer_items = 10;
  steady.consumer_busy = 0.2;
  for (int n = 0; n < 30; ++n) ASSERT_FALSE(watch.Add(steady, RateWindow{50, 1}));
  steady.consumer_busy = 0.1;
  std::optional<Shift> shift;
  for (int n = 0; n < 10 && !shift; ++n) shift = watch.Add(steady, RateWindow{50, 1});
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->what, Watched::kDemand);
  EXPECT_GT(shift->ratio, 1.1);
}

TEST(Watch, KnowsTheDemandBeforeATrimAlsoAfterIt) {
  for (const bool trimmed : {true, false}) {
    Watch watch(1, {});
    Interval validation = Made(50, 0.001);
    validation.consumer_items = 10;
    validation.consumer_busy = 0.2;
    for (int n = 0; n < 30; ++n) ASSERT_FALSE(watch.Add(validation, RateWindow{50, 1}));
    Interval training = validation;
    training.consumer_busy = 0.04;
    EXPECT_FALSE(watch.AddDemand(validation));
    trimmed ? watch.ArmAfterTrim() : watch.Arm();
    std::optional<Shift> shift;
    for (int n = 0; n < 4 && !shift; ++n) shift = watch.AddDemand(training);
    EXPECT_EQ(shift.has_value(), trimmed);
    if (shift) {
      EXPECT_GT(shift->ratio, 1.1);
    }
  }
}

}  // namespace
}  // namespace sluice::autotune

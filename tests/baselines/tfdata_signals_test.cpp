#include "tfdata_signals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "baselines/hand_made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;

HandMade OneOp(std::int64_t capacity) {
  return HandMade({{.name = "read", .capacity = capacity}}, 4);
}

TEST(TfMovingMeans, ForgetATenthPerElement) {
  HandMade plant = OneOp(4);
  TfMovingMeans means;
  means.Add(plant.seen());
  EXPECT_FALSE(means.Get().has_value());
  plant.Pass(1, {{10, 0.010, 0}}, {});
  means.Add(plant.seen());
  plant.Pass(1, {{2, 0.006, 0}}, {});
  means.Add(plant.seen());
  EXPECT_NEAR(means.Get()->at(0), 0.001 * 0.81 + 0.003 * 0.19, 1e-12);
}

TEST(TfGapTimes, TrustNothingBeforeAHundredAndDropOutliers) {
  HandMade plant = OneOp(4);
  TfGapTimes gaps;
  gaps.Add(plant.seen());
  plant.Pass(1, {{98, 0, 0}}, {98, 0.98});
  gaps.Add(plant.seen());
  EXPECT_EQ(gaps.Target(), 0);
  plant.Pass(1, {{2, 0, 0}}, {2, 1.0});  // two of half a second: more than two deviations above
  gaps.Add(plant.seen());
  EXPECT_NEAR(gaps.Target(), 0.010, 1e-12);
}

TEST(TfGapTimes, IgnoreGapsOfTenSeconds) {
  HandMade plant = OneOp(4);
  TfGapTimes gaps;
  gaps.Add(plant.seen());
  plant.Pass(2000, {{100, 0, 0}}, {100, 1000});
  gaps.Add(plant.seen());
  EXPECT_EQ(gaps.Target(), 0);
}

TEST(TfPrefetchTuner, DoublesABufferThatWasFullAndThenEmpty) {
  HandMade plant = OneOp(4);
  TfPrefetchTuner tuner;
  plant.Pass(1, {{4, 0, 0}}, {});
  EXPECT_FALSE(tuner.Next(plant.seen(), 0).has_value());
  plant.Pass(1, {{4, 0, 4}}, {});
  EXPECT_FALSE(tuner.Next(plant.seen(), 0).has_value());
  plant.Pass(1, {{4, 0, 2}}, {});
  EXPECT_FALSE(tuner.Next(plant.seen(), 0).has_value());
  plant.Pass(1, {{4, 0, 0}}, {});
  EXPECT_EQ(tuner.Next(plant.seen(), 0), 8);
  plant.Pass(1, {{4, 0, 0}}, {});
  EXPECT_FALSE(tuner.Next(plant.seen(), 0).has_value());
}

}  // namespace
}  // namespace sluice::baselines

#include "experiment/settling.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

Interval Tick(double items, double consumed, double seconds = 0.1) {
  Interval i;
  i.state = Cleanliness::kClean;
  i.seconds = seconds;
  i.ops.resize(1);
  i.ops[0].items = items;
  i.consumer_items = consumed;
  i.consumer_busy = seconds;
  return i;
}

TEST(Settling, WaitsForItemsAndNotForTime) {
  Settling settling(50, 0, {});
  settling.Add(Tick(20, 1));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(20, 1));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(20, 1));
  EXPECT_TRUE(settling.done());
}

TEST(Settling, WaitsForTheBatchThatWasUnderWay) {
  Settling settling(1, 0, {});
  settling.Add(Tick(100, 0));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(100, 1));
  EXPECT_TRUE(settling.done());
}

TEST(Settling, HasAFloorAndACapInTime) {
  Settling fast(1, 0, {});
  fast.Add(Tick(100, 10, 0.05));
  EXPECT_FALSE(fast.done());
  Settling endless(1e9, 0, {});
  endless.Add(Tick(1, 0, 3.1));
  EXPECT_TRUE(endless.done());
}

}  // namespace
}  // namespace sluice::autotune

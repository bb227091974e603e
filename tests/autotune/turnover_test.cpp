#include "observe/turnover.h"

#include <gtest/gtest.h>

namespace sluice::autotune::testing {
namespace {

// 100 ms of one op.
Interval Lasting(double busy_workers, double items, bool resized = false) {
  Interval i;
  i.state = Cleanliness::kClean;
  i.seconds = 0.1;
  i.ops = {{.resized = resized, .items = items, .busy = 0.1 * busy_workers}};
  return i;
}

TEST(Turnover, LastsUntilAsManyItemsHaveLeftAsWereInside) {
  Turnover turnover(1);
  EXPECT_FALSE(turnover.Add(Lasting(4, 1)));
  EXPECT_TRUE(turnover.Add(Lasting(12, 2, true)));
  EXPECT_TRUE(turnover.Add(Lasting(16, 2))) << "two of the four are still inside";
  EXPECT_FALSE(turnover.Add(Lasting(16, 2)));
}

TEST(Turnover, BeginsAnewWithEachChange) {
  Turnover turnover(1);
  EXPECT_FALSE(turnover.Add(Lasting(16, 8)));
  EXPECT_TRUE(turnover.Add(Lasting(16, 8, true)));
  EXPECT_TRUE(turnover.Add(Lasting(9, 8, true))) << "workers leave when they have done their items";
  EXPECT_TRUE(turnover.Add(Lasting(9, 8)));
  EXPECT_TRUE(turnover.Add(Lasting(12, 8, true)));
  EXPECT_TRUE(turnover.Add(Lasting(12, 8)));
  EXPECT_FALSE(turnover.Add(Lasting(12, 8)));
}

TEST(Turnover, WaitsForThoseWhoMetACrowdAsWell) {
  Turnover turnover(1);
  EXPECT_FALSE(turnover.Add(Lasting(16, 8)));
  EXPECT_TRUE(turnover.Add(Lasting(16, 8, true)));
  EXPECT_TRUE(turnover.Add(Lasting(4, 8))) << "the last of the sixteen";
  EXPECT_TRUE(turnover.Add(Lasting(4, 4))) << "the four that were begun beside them";
  EXPECT_FALSE(turnover.Add(Lasting(4, 8)));
}

TEST(Turnover, EndsWhereNobodyIsInsideAnyMore) {
  Turnover turnover(1);
  EXPECT_FALSE(turnover.Add(Lasting(4, 1)));
  EXPECT_TRUE(turnover.Add(Lasting(4, 0, true)));
  EXPECT_TRUE(turnover.Add(Lasting(0, 0))) << "the data is over";
  EXPECT_FALSE(turnover.Add(Lasting(0, 0)));
}

TEST(Turnover, WaitsForNothingFromIdleWorkers) {
  Turnover turnover(1);
  EXPECT_FALSE(turnover.Add(Lasting(0.1, 50)));
  EXPECT_FALSE(turnover.Add(Lasting(0.1, 0, true)));
}

TEST(Turnover, SeesNothingInABrokenInterval) {
  Turnover turnover(1);
  EXPECT_FALSE(turnover.Add(Lasting(4, 1)));
  EXPECT_TRUE(turnover.Add(Lasting(12, 0, true)));
  EXPECT_FALSE(turnover.Add(Interval())) << "it has no ops";
  EXPECT_TRUE(turnover.Add(Lasting(16, 4)));
}

}  // namespace
}  // namespace sluice::autotune::testing

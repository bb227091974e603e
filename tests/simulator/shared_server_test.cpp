#include "shared_server.h"

#include <gtest/gtest.h>

namespace sluice::simulator {
namespace {

TEST(SharedServer, ServesOneJobAtFullSpeedHoweverManyCoresThereAre) {
  SharedServer server({4, {}});
  server.Add(1.0, 7, 2.0);
  EXPECT_DOUBLE_EQ(server.NextAt(), 3.0);
  EXPECT_EQ(server.Finish(), 7u);
  EXPECT_EQ(server.jobs(), 0u);
}

// One core: alone until 1, then both at half speed. The first has 1 s left and is done at 3, then the second
// has had 1 of its 2 s and is alone again until 4.
TEST(SharedServer, SharesACoreEvenly) {
  SharedServer server({1, {}});
  server.Add(0.0, 1, 2.0);
  server.Add(1.0, 2, 2.0);
  EXPECT_DOUBLE_EQ(server.NextAt(), 3.0);
  EXPECT_EQ(server.Finish(), 1u);
  EXPECT_DOUBLE_EQ(server.NextAt(), 4.0);
  EXPECT_EQ(server.Finish(), 2u);
}

TEST(SharedServer, FinishesTheShorterJobFirstAndEqualOnesInTheOrderTheyCame) {
  SharedServer server({1, {}});
  server.Add(0.0, 1, 3.0);
  server.Add(0.0, 2, 1.0);
  server.Add(0.0, 3, 1.0);
  EXPECT_EQ(server.Finish(), 2u);
  EXPECT_EQ(server.Finish(), 3u);
  EXPECT_DOUBLE_EQ(server.NextAt(), 5.0);  // 3 s of service at a third of the speed, then 2 s alone
}

TEST(SharedServer, FollowsATableOfSpeeds) {
  SharedServer server({1, {0.5, 0.8}});
  server.Add(0.0, 1, 1.0);
  EXPECT_DOUBLE_EQ(server.NextAt(), 2.0);
  server.Add(0.0, 2, 1.0);
  EXPECT_DOUBLE_EQ(server.NextAt(), 2.5);
  server.Add(0.0, 3, 1.0);
  EXPECT_DOUBLE_EQ(server.NextAt(), 3.75);  // the last entry holds beyond
}

TEST(SharedServer, SlowsDownWhenCoresAreTakenAway) {
  SharedServer server({2, {}});
  server.Add(0.0, 1, 2.0);
  server.Add(0.0, 2, 2.0);
  server.SetCurve(1.0, {1, {}});
  EXPECT_DOUBLE_EQ(server.NextAt(), 3.0);
  EXPECT_DOUBLE_EQ(server.ServiceAt(2.0), 1.5);
}

}  // namespace
}  // namespace sluice::simulator

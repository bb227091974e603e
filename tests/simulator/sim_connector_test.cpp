#include "sim_connector.h"

#include <gtest/gtest.h>

namespace sluice::simulator {
namespace {

SimItem Row(std::int64_t bytes) {
  return {.bytes = bytes, .rows = 1};
}

TEST(SimConnector, HasRoomForCapacityAndOneInTheMakingPerWorkerBeyondTheFirst) {
  SimConnector connector(3, 2, true);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(connector.HasRoom()) << i;
    (void)connector.Reserve(0);
  }
  EXPECT_FALSE(connector.HasRoom());
}

TEST(SimConnector, DeliversInTheOrderOfTicketsUnlessItMayNot) {
  for (const bool ordered : {true, false}) {
    SimConnector connector(4, 2, ordered);
    const auto first = connector.Reserve(0);
    const auto second = connector.Reserve(0);
    connector.Publish(0, second, Row(2));
    EXPECT_EQ(connector.Ready(), !ordered);
    connector.Publish(0, first, Row(1));
    EXPECT_EQ(connector.Pop(0).bytes, ordered ? 1 : 2);
    EXPECT_EQ(connector.Pop(0).bytes, ordered ? 2 : 1);
    EXPECT_FALSE(connector.Ready());
  }
}

TEST(SimConnector, KeepsWhatIsInTheMakingWhenItGrowsAndGivesOutNothingWhileItIsTooSmall) {
  SimConnector connector(2, 1, true);
  const auto a = connector.Reserve(0);
  connector.SetCapacity(0, 100);
  const auto b = connector.Reserve(0);
  const auto c = connector.Reserve(0);
  connector.SetCapacity(0, 1);
  EXPECT_FALSE(connector.HasRoom());
  connector.Publish(0, c, Row(3));
  connector.Publish(0, a, Row(1));
  connector.Publish(0, b, Row(2));
  for (const int bytes : {1, 2, 3}) EXPECT_EQ(connector.Pop(0).bytes, bytes);
  EXPECT_TRUE(connector.HasRoom());
}

TEST(SimConnector, CountsItemsBytesAndTimes) {
  SimConnector connector(2, 1, true);
  const auto a = connector.Reserve(1);
  connector.Publish(2, a, Row(10));
  const auto b = connector.Reserve(2);
  connector.Publish(3, b, Row(20));
  (void)connector.Pop(5);
  const ConnectorReading reading = connector.Read(6);
  EXPECT_EQ(reading.pushed, 2u);
  EXPECT_EQ(reading.popped, 1u);
  EXPECT_EQ(reading.depth, 1u);
  EXPECT_EQ(reading.high_water, 2u);
  EXPECT_EQ(reading.bytes, Bytes{20});
  EXPECT_DOUBLE_EQ(reading.depth_seconds, 1 * 1 + 2 * 2 + 1 * 1);
  EXPECT_EQ(reading.empty, FromSeconds(2));
  EXPECT_EQ(reading.full, FromSeconds(3));  // both tickets are out from 2 to 5
}

TEST(SimConnector, DoesNotCountAnEpochsMarkAsAnItem) {
  SimConnector connector(2, 1, true);
  connector.Publish(0, connector.Reserve(0), {.last = true});
  ASSERT_TRUE(connector.Ready());
  EXPECT_TRUE(connector.Pop(0).last);
  EXPECT_EQ(connector.Read(1).pushed, 0u);
  EXPECT_EQ(connector.Read(1).popped, 0u);
}

}  // namespace
}  // namespace sluice::simulator

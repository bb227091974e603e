#include "experiment/settling.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

Interval Tick(double items, double consumed, double seconds = 0.1, double starved = 0) {
  Interval i;
  i.state = Cleanliness::kClean;
  i.seconds = seconds;
  i.ops.resize(1);
  i.ops[0].items = items;
  i.consumer_items = consumed;
  i.consumer_starved = starved * seconds;
  i.consumer_busy = (1 - starved) * seconds;
  return i;
}

TEST(Settling, WaitsForItemsAndNotForTime) {
  Settling settling({.under_way = 50}, 0, {});
  settling.Add(Tick(20, 1));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(20, 1));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(20, 1));
  EXPECT_TRUE(settling.done());
}

TEST(Settling, WaitsForTheBatchThatWasUnderWay) {
  Settling settling({.under_way = 1}, 0, {});
  settling.Add(Tick(100, 0));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(100, 1));
  EXPECT_TRUE(settling.done());
}

TEST(Settling, HasAFloorAndACapInTime) {
  Settling fast({.under_way = 1}, 0, {});
  fast.Add(Tick(100, 10, 0.05));
  EXPECT_FALSE(fast.done());
  Settling endless({.under_way = 1e9}, 0, {});
  endless.Add(Tick(1, 0, 3.1));
  EXPECT_TRUE(endless.done());
}

TEST(Settling, WaitsUntilBuffersAreFull) {
  Settling settling({.under_way = 10, .filling = 50}, 0, {});
  for (int tick = 0; tick < 5; ++tick) {
    settling.Add(Tick(10, 1));
    EXPECT_FALSE(settling.done());
  }
  settling.Add(Tick(10, 1));
  EXPECT_TRUE(settling.done());
}

// What it takes at once never fills a buffer. Only what was under way may still have kept it waiting.
TEST(Settling, AwaitsNoBufferThatAStarvingConsumerKeepsEmpty) {
  Settling settling({.under_way = 10, .filling = 1000}, 0, {});
  settling.Add(Tick(10, 1, 0.1, 0.9));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(10, 1, 0.1, 0.9));
  EXPECT_TRUE(settling.done());
}

TEST(Settling, CountsTheRoomInBuffersOnlyWhereTheyWillFill) {
  Graph graph;
  graph.ops = {{.name = "decode", .kind = "map"}, {.name = "batch", .kind = "batch", .rows_per_item = 64}};
  graph.connectors = {{"decode->batch", OpId(0), OpId(1)}, {"batch->consumer", OpId(1), std::nullopt}};
  Snapshot seen;
  seen.graph = std::make_shared<const Graph>(graph);
  seen.ops.resize(2);
  seen.ops[0].workers = 3;
  seen.connectors.resize(2);
  seen.connectors[1].capacity = 4;
  seen.connectors[1].depth = 1;
  EXPECT_EQ(ItemsToSettle(seen, {64, 1}, 0, false).under_way, 3);
  EXPECT_EQ(ItemsToSettle(seen, {64, 1}, 0, false).filling, 0);
  EXPECT_EQ(ItemsToSettle(seen, {64, 1}, 0, true).under_way, 3);
  EXPECT_EQ(ItemsToSettle(seen, {64, 1}, 0, true).filling, 3 * 64);
}

}  // namespace
}  // namespace sluice::autotune

#include "propose/buffer_plan.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

BufferSide Side(double variability, double balance, double bytes = 1) {
  return {.bytes = bytes, .variability = variability, .balance = balance, .workers = 1, .range = {1, 1024}};
}

TEST(WantedCapacity, FollowsTheDiffusionRuleAtBalance) {
  EXPECT_EQ(WantedCapacity(Side(2, 1), 0.02), 50);
}

TEST(WantedCapacity, NeedsFewSlotsWhereOneSideIsFaster) {
  EXPECT_LT(WantedCapacity(Side(1, 0.5), 0.01), 6);
  EXPECT_EQ(WantedCapacity(Side(0, 0), 0.01), 2);
}

TEST(WantedCapacity, HoldsAnItemPerWorkerAndStaysInItsRange) {
  BufferSide side = Side(0, 0);
  side.workers = 12;
  EXPECT_EQ(WantedCapacity(side, 0.01), 12);
  side.range.most = 4;
  EXPECT_EQ(WantedCapacity(side, 0.01), 4);
}

TEST(FitCapacities, LeavesAPlanAloneThatFits) {
  EXPECT_EQ(FitCapacities({Side(1, 1, 10), Side(1, 1, 10)}, {5, 6}, 1000), (std::vector<std::int64_t>{5, 6}));
}

// At the optimum the loss saved per byte, a / (2 B^2 s), is the same at both connectors.
TEST(FitCapacities, SavesAsMuchWithEachByteHereAsThere) {
  const auto fitted = FitCapacities({Side(1, 1, 1), Side(1, 1, 100)}, {10'000, 10'000}, 11'000);
  EXPECT_LE(fitted[0] + 100 * fitted[1], 11'000);
  EXPECT_NEAR(static_cast<double>(fitted[0]) / static_cast<double>(fitted[1]), 10, 1.5);
}

// Both are as uneven, but behind one of them twelve workers keep their order.
TEST(FitCapacities, GivesMostToWhereOrderHoldsUpMost) {
  BufferSide ordered = Side(2, 1, 10);
  ordered.makers = 12;
  ordered.spread = 2;
  const auto fitted = FitCapacities({Side(2, 1, 10), ordered}, {1000, 1000}, 2000);
  EXPECT_GT(fitted[1], 3 * fitted[0]);
  EXPECT_LE(10 * (fitted[0] + fitted[1]), 2000);
  EXPECT_GE(10 * (fitted[0] + fitted[1]), 1900) << "all of it is used";
}

TEST(FitCapacities, TakesFromOthersWhatAPinnedConnectorHolds) {
  std::vector<BufferSide> sides{Side(1, 1, 10), Side(1, 1, 10)};
  sides[0].range = {80, 80};
  const auto fitted = FitCapacities(sides, {80, 80}, 1000);
  EXPECT_EQ(fitted[0], 80);
  EXPECT_LE(fitted[1], 20);
}

TEST(HeldBytes, CountsWhatIsInTheMakingToo) {
  Graph graph;
  graph.ops = {{.name = "read", .kind = "source"}};
  graph.connectors = {{"read->consumer", OpId(0), std::nullopt}};
  EXPECT_EQ(HeldBytes(graph, {100}, {.workers = {3}, .capacity = {5}}), 700) << "of 3 workers one has room";
}

TEST(HeldBytes, CountsWhatAWorkerMakesItsItemFrom) {
  Graph graph;
  graph.ops = {{.name = "read", .kind = "source"},
               {.name = "decode", .kind = "map"},
               {.name = "batch", .kind = "batch", .rows_per_item = 8}};
  graph.connectors = {{"read->decode", OpId(0), OpId(1)},
                      {"decode->batch", OpId(1), OpId(2)},
                      {"batch->consumer", OpId(2), std::nullopt}};
  const Setting setting{.workers = {1, 4, 1}, .capacity = {1, 1, 1}};
  EXPECT_EQ(HeldBytes(graph, {10, 100, 800}, setting), 10 + 400 + 800 + 4 * 10 + 800) << "a batch is a copy";
  EXPECT_EQ(HeldBytes(graph, {100, 100, 800}, setting), 100 + 400 + 800 + 4 * 100 + 800) << "of one size";
  graph.ops[1].passes_on = true;
  EXPECT_EQ(HeldBytes(graph, {100, 100, 800}, setting), 100 + 400 + 800 + 800) << "the same memory";
}

// 12 workers whose times differ little (cv 0.3) need two slots each, with a heavy tail (cv 2) some 75.
TEST(WantedCapacity, HoldsWhatIsFinishedBehindASlowItem) {
  BufferSide side{.bytes = 1,
                  .variability = 0.09,
                  .balance = 0.5,
                  .workers = 12,
                  .in_order = OrderingSlots(12, 0.09, 0.01),
                  .range = {1, 4096}};
  EXPECT_NEAR(static_cast<double>(WantedCapacity(side, 0.01)), 25, 3);
  side.variability = 4;
  side.in_order = OrderingSlots(12, 4, 0.01);
  EXPECT_NEAR(static_cast<double>(WantedCapacity(side, 0.01)), 890, 60);
  side.in_order = OrderingSlots(1, 4, 0.01);
  EXPECT_LT(WantedCapacity(side, 0.01), 210) << "a single worker overtakes nobody";
  side.gap = 500;
  EXPECT_EQ(WantedCapacity(side, 0.01), 500) << "an op further before holds everything up";
}

}  // namespace
}  // namespace sluice::autotune

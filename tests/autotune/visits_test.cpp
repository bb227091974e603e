#include "observe/visits.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

// read -> batch of 64 -> consumer
Snapshot Batches(std::uint64_t rows, std::uint64_t batches) {
  Graph graph;
  graph.ops = {{.name = "read", .kind = "source"}, {.name = "batch", .kind = "batch", .rows_per_item = 64}};
  graph.connectors = {{"read->batch", OpId(0), OpId(1)}, {"batch->consumer", OpId(1), std::nullopt}};
  Snapshot seen;
  seen.graph = std::make_shared<const Graph>(graph);
  seen.ops.resize(2);
  seen.connectors.resize(2);
  seen.ops[0].items = seen.connectors[0].popped = rows;
  seen.ops[1].items = batches;
  return seen;
}

TEST(Visits, FollowTheBatchSizeBeforeAnythingWasSeen) {
  EXPECT_EQ(Visits(Batches(0, 0)), (std::vector<double>{64, 1}));
}

TEST(Visits, AreNotBlurredByRowsOfTheBatchUnderWay) {
  EXPECT_EQ(Visits(Batches(64 * 12 + 40, 12))[0], 64);
}

TEST(Visits, FollowTheCountsWhereAnOpFilters) {
  EXPECT_NEAR(Visits(Batches(12'800, 100))[0], 128, 1e-9);
}

// zip(images, labels) -> consumer, labels at twice the items
TEST(Visits, FollowEachBranchOfADag) {
  Graph graph;
  graph.ops = {
      {.name = "images", .kind = "map"}, {.name = "labels", .kind = "map"}, {.name = "zip", .kind = "map"}};
  graph.connectors = {{"images->zip", OpId(0), OpId(2)},
                      {"labels->zip", OpId(1), OpId(2)},
                      {"zip->consumer", OpId(2), std::nullopt}};
  Snapshot seen;
  seen.graph = std::make_shared<const Graph>(graph);
  seen.ops.resize(3);
  seen.connectors.resize(3);
  seen.ops[2].items = seen.connectors[0].popped = 100;
  seen.connectors[1].popped = 200;
  EXPECT_EQ(Visits(seen), (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(LastOp(graph), 2u);
}

TEST(FinestOp, IsTheLastOneThatStillCountsRows) {
  EXPECT_EQ(FinestOp({64, 64, 1}), 1u);
  EXPECT_EQ(FinestOp({1, 1, 1}), 2u);
}

}  // namespace
}  // namespace sluice::autotune

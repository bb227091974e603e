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
  Graph graph;
  graph.ops = {
      {.name = "read", .kind = "source"}, {.name = "map", .kind = "map"}, {.name = "batch", .kind = "batch"}};
  graph.connectors = {{"read->map", OpId(0), OpId(1)},
                      {"map->batch", OpId(1), OpId(2)},
                      {"batch->consumer", OpId(2), std::nullopt}};
  EXPECT_EQ(FinestOp(graph, {64, 64, 1}), 1u);
  EXPECT_EQ(FinestOp(graph, {1, 1, 1}), 2u);
}

// An op before a concat counts nothing while another input has its turn, however fine its rows are.
TEST(FinestOp, HasWorkInEachPhase) {
  Graph graph;
  graph.ops = {{.name = "words", .kind = "source"},
               {.name = "pages", .kind = "batch"},
               {.name = "photos", .kind = "source"},
               {.name = "all", .kind = "concat"},
               {.name = "batch", .kind = "batch"}};
  graph.connectors = {{"words->pages", OpId(0), OpId(1)},
                      {"pages->all", OpId(1), OpId(3)},
                      {"photos->all", OpId(2), OpId(3)},
                      {"all->batch", OpId(3), OpId(4)},
                      {"batch->consumer", OpId(4), std::nullopt}};
  EXPECT_EQ(FinestOp(graph, {3200, 8, 8, 8, 1}), 3u);
}

}  // namespace
}  // namespace sluice::autotune

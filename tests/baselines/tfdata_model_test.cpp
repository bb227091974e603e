// The arithmetic is in docs/baselines.md, "tf.data".
#include "tfdata_model.h"

#include <gtest/gtest.h>

#include "baselines/hand_made.h"

namespace sluice::baselines {
namespace {

TfDataModel Chain(const std::vector<double>& self, const std::vector<int>& workers) {
  std::vector<TfNode> nodes;
  for (std::size_t i = 0; i < self.size(); ++i) {
    TfNode node;
    node.self = self[i];
    node.parallelism = workers[i];
    if (i > 0) node.inputs = {{i - 1, 1.0}};
    nodes.push_back(node);
  }
  return TfDataModel(std::move(nodes));
}

TEST(BufferEmpty, IsTheEmptyStateOfAQueueOfThatLength) {
  EXPECT_DOUBLE_EQ(BufferEmpty(1, 0, 4), 0);
  EXPECT_DOUBLE_EQ(BufferEmpty(0, 1, 4), 1);
  EXPECT_DOUBLE_EQ(BufferEmpty(2, 2, 4), 0.2);
  EXPECT_DOUBLE_EQ(BufferEmpty(1, 2, 1), 2.0 / 3);  // (1 - 1/2) / (1 - 1/4)
  EXPECT_DOUBLE_EQ(BufferEmpty(2, 1, 2), 1.0 / 7);  // (1 - 2) / (1 - 8)
  EXPECT_NEAR(BufferEmpty(1 + 1e-12, 1, 4), 0.2, 1e-9);
}

TEST(TfDataModel, GivesThePublishedChainItsPublishedOutputTime) {
  // 2 -> 1/2 + 2/3 = 7/6 -> ... = 1.353, although the first stage alone takes 2.
  EXPECT_NEAR(Chain({8, 1, 1, 1}, {4, 2, 2, 1}).OutputTime(), 1.353, 5e-4);
}

TEST(TfDataModel, AddsWaitingForInputToTheOpsOwnTime) {
  EXPECT_DOUBLE_EQ(Chain({3, 1}, {1, 1}).OutputTime(), 3.25);
  EXPECT_DOUBLE_EQ(Chain({3, 1}, {2, 1}).OutputTime(), 1.9);
}

TEST(TfDataModel, WeighsStagesByElementsPerFinalElement) {
  testing::HandMade plant({{.name = "read", .workers = 2, .capacity = 5, .bytes = 100},
                           {.name = "batch", .workers = 1, .capacity = 3, .rows_per_item = 4, .bytes = 400}},
                          8);
  plant.Pass(1, {{400, 0.8, 0}, {100, 0.1, 0}}, {100, 0.1});
  const TfDataModel model = ModelOf(plant.seen(), *LifetimeMeans(plant.seen()));
  EXPECT_DOUBLE_EQ(model.nodes()[1].inputs[0].ratio, 4);
  EXPECT_DOUBLE_EQ(model.ProcessingTime(), 4 * 0.002 + 0.001);
  EXPECT_DOUBLE_EQ(model.StageTime(0), 4 * 0.002 / 2);
  EXPECT_DOUBLE_EQ(model.Bytes(), 100 * (2 + 5 - 1) + 400 * (1 + 3 - 1));
}

}  // namespace
}  // namespace sluice::baselines

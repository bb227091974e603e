#include "tfdata_search.h"

#include <gtest/gtest.h>

namespace sluice::baselines {
namespace {

// Two ops in a row, 3 and 1 seconds per element, 10 bytes each.
TfDataModel ThreeAndOne(int most) {
  TfNode read{.self = 3, .least = 1, .most = most, .inputs = {}, .bytes = 10};
  TfNode decode{.self = 1, .least = 1, .most = most, .inputs = {{0, 1.0}}, .bytes = 10};
  return TfDataModel({read, decode});
}

std::vector<int> Found(const TfDataModel& model) {
  std::vector<int> found;
  for (const TfNode& node : model.nodes()) found.push_back(node.parallelism);
  return found;
}

TEST(HillClimb, StopsWhereTheModelSaysThatTheCoresAreUsed) {
  TfDataModel model = ThreeAndOne(2);
  HillClimb(model, {.cores = 2}, false);
  EXPECT_EQ(Found(model), (std::vector{2, 1}));
}

TEST(HillClimb, GoesToTheMostWithoutThatStop) {
  TfDataModel model = ThreeAndOne(2);
  HillClimb(model, {.cores = 2}, true);
  EXPECT_EQ(Found(model), (std::vector{2, 2}));
}

TEST(HillClimb, TakesTheStepBackThatBrokeTheByteBudget) {
  TfDataModel model = ThreeAndOne(8);
  HillClimb(model, {.cores = 100, .bytes = 45}, true);
  EXPECT_EQ(model.Bytes(), 40);
}

TEST(StageBased, AppliesNothingWhereTheBytesWouldBeOver) {
  TfDataModel model = ThreeAndOne(8);
  EXPECT_FALSE(StageBased(model, {.cores = 8, .bytes = 25}, 0.5));
}

TEST(StageBased, StopsAtASlowestStageThatCannotHaveMore) {
  TfDataModel model = ThreeAndOne(1);
  EXPECT_TRUE(StageBased(model, {.cores = 8}, 0.5));
  EXPECT_EQ(Found(model), (std::vector{1, 1}));
}

}  // namespace
}  // namespace sluice::baselines

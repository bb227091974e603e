// The arithmetic of these traces is in docs/baselines.md, "Ray Data".
#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

TEST(RayData, AddsAnActorWhereTasksQueueAndTakesOneNotWithinTenSecondsOfThat) {
  HandMade plant({{.name = "read"}, {.name = "decode"}}, 4);
  const auto rule = Made("ray");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(0.2, {{10, 0.05, 5}, {10, 0.20, 0}}, {10, 0.1});
  EXPECT_EQ(plant.Ask(*rule), "decode.workers 1->2");
  plant.Pass(0.2, {{10, 0.05, 1}, {10, 0.40, 0}}, {10, 0.1});
  EXPECT_EQ(plant.Ask(*rule), "");  // 1 + 1/2 = 1.5
  plant.Pass(9.7, {{10, 0.05, 0}, {10, 0.40, 0}}, {10, 0.1});
  EXPECT_EQ(plant.Ask(*rule), "");  // 9.9 s after the actor more
  plant.Pass(0.2, {{10, 0.05, 0}, {10, 0.10, 0}}, {10, 0.1});
  EXPECT_EQ(plant.Ask(*rule), "decode.workers 2->1");
}

TEST(RayData, StopsAtTheCpusOfTheCluster) {
  HandMade plant({{.name = "read"}, {.name = "decode", .workers = 3}}, 2);
  const auto rule = Made("ray");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(0.2, {{10, 0.20, 16}, {10, 0.60, 0}}, {10, 0.1});
  EXPECT_EQ(plant.Ask(*rule), "");
}

TEST(RayData, GivesTheLastCpuToOneOp) {
  HandMade plant({{.name = "read"}, {.name = "decode", .workers = 2}}, 2);
  const auto rule = Made("ray");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(0.2, {{10, 0.20, 16}, {10, 0.40, 0}}, {10, 0.1});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 1->2");
}

}  // namespace
}  // namespace sluice::baselines

// The arithmetic of these traces is in docs/baselines.md, "Cachew".
#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

std::string ASecondOf(std::uint64_t batches, HandMade& plant, autotune::Controller& rule,
                      std::uint64_t queue = 0) {
  plant.Pass(1, {{batches, 1, 0}, {batches, 1, queue}}, {batches, 0.1});
  return plant.Ask(rule);
}

TEST(Cachew, GrowsWhileBatchesComeSevenPercentFasterAndLooksAgainAfterTwentyReports) {
  HandMade plant({{.name = "read"}, {.name = "decode"}}, 4);
  const auto rule = Made("cachew");
  EXPECT_EQ(plant.Ask(*rule), "");
  EXPECT_EQ(ASecondOf(20, plant, *rule), "read.workers 1->2, decode.workers 1->2");
  EXPECT_EQ(ASecondOf(30, plant, *rule), "");  // belongs to both settings
  EXPECT_EQ(ASecondOf(40, plant, *rule), "read.workers 2->3, decode.workers 2->3");
  EXPECT_EQ(ASecondOf(41, plant, *rule), "");
  EXPECT_EQ(ASecondOf(41, plant, *rule), "read.workers 3->2, decode.workers 3->2");
  EXPECT_EQ(ASecondOf(40, plant, *rule), "");
  for (int report = 1; report <= 20; ++report) EXPECT_EQ(ASecondOf(20, plant, *rule), "");
  EXPECT_EQ(ASecondOf(20, plant, *rule), "read.workers 2->3, decode.workers 2->3");
}

TEST(Cachew, ShrinksWhileBatchesComeLessThanThreePercentSlowerOnceTheQueueHasGrown) {
  HandMade plant({{.name = "read", .workers = 3}, {.name = "decode", .workers = 3}}, 4);
  const auto rule = Made("cachew");
  EXPECT_EQ(plant.Ask(*rule), "");
  EXPECT_EQ(ASecondOf(40, plant, *rule, 4), "read.workers 3->4, decode.workers 3->4");
  (void)ASecondOf(40, plant, *rule, 4);
  EXPECT_EQ(ASecondOf(40, plant, *rule, 4), "read.workers 4->3, decode.workers 4->3");
  for (int report = 0; report <= 20; ++report) EXPECT_EQ(ASecondOf(40, plant, *rule, 8), "");
  EXPECT_EQ(ASecondOf(40, plant, *rule, 8), "read.workers 3->2, decode.workers 3->2");
  (void)ASecondOf(39, plant, *rule, 8);
  EXPECT_EQ(ASecondOf(39, plant, *rule, 8), "read.workers 2->1, decode.workers 2->1");
  (void)ASecondOf(37, plant, *rule, 8);
  EXPECT_EQ(ASecondOf(37, plant, *rule, 8), "read.workers 1->2, decode.workers 1->2");
}

TEST(Cachew, DiscardsAnUnstableReport) {
  HandMade plant({{.name = "read"}, {.name = "decode"}}, 4);
  const auto rule = Made("cachew");
  EXPECT_EQ(plant.Ask(*rule), "");
  EXPECT_EQ(ASecondOf(100, plant, *rule), "read.workers 1->2, decode.workers 1->2");
  (void)ASecondOf(100, plant, *rule);
  EXPECT_EQ(ASecondOf(40, plant, *rule), "");  // 1 - 25 / 10 = -1.5
  EXPECT_EQ(ASecondOf(110, plant, *rule), "read.workers 2->3, decode.workers 2->3");
}

}  // namespace
}  // namespace sluice::baselines

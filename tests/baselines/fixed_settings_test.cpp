#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

TEST(StaticSettings, AskForEightWorkersAndSixteenSlotsOnceWithinWhatTheKnobsAllow) {
  HandMade plant({{.name = "read", .workers = 1, .capacity = 4}, {.name = "decode", .workers = 2, .most = 6}},
                 4);
  const auto rule = Made("static");
  EXPECT_EQ(plant.Ask(*rule), "read.workers 1->8, decode.workers 2->6, read.capacity 4->16");
  plant.Pass(10, {{100, 1, 0}, {100, 1, 0}}, {100, 1});
  EXPECT_EQ(plant.Ask(*rule), "");
}

TEST(WorkersAsCores, CountsWholeCoresAndLeavesPrefetchAlone) {
  HandMade plant({{.name = "read"}, {.name = "decode", .workers = 8}}, 4.5);
  EXPECT_EQ(plant.Ask(*Made("cores")), "read.workers 1->4, decode.workers 8->4");
}

TEST(WorkersAsCores, HasAtLeastOneWhereTheQuotaIsBelowACore) {
  HandMade plant({{.name = "read", .workers = 3}}, 0.5);
  EXPECT_EQ(plant.Ask(*Made("cores")), "read.workers 3->1");
}

}  // namespace
}  // namespace sluice::baselines

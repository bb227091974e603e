#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

// splitmix64 from seed 1, below 2 and below 2 in turn: decode +1, decode -1, read +1, read -1, read -1 (there
// is only one left), decode -1 (the same).
TEST(RandomWalk, TakesTheDrawnStepEveryTenSecondsAndKeepsOneWorker) {
  HandMade plant({{.name = "read"}, {.name = "decode"}}, 4);
  const auto rule = Made("random-walk", 1);
  EXPECT_EQ(plant.Ask(*rule), "");
  for (const char* expected :
       {"decode.workers 1->2", "decode.workers 2->1", "read.workers 1->2", "read.workers 2->1", "", ""}) {
    plant.Pass(9, {{90, 1, 0}, {90, 1, 0}}, {90, 1});
    EXPECT_EQ(plant.Ask(*rule), "");
    plant.Pass(1, {{10, 1, 0}, {10, 1, 0}}, {10, 1});
    EXPECT_EQ(plant.Ask(*rule), expected);
  }
}

TEST(RandomWalk, WalksAnotherWayWithAnotherSeed) {
  HandMade plant({{.name = "read"}, {.name = "decode"}}, 4);
  const auto rule = Made("random-walk", 4);
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(10, {{90, 1, 0}, {90, 1, 0}}, {90, 1});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 1->2");
}

}  // namespace
}  // namespace sluice::baselines

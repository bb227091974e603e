// The arithmetic of these traces is in docs/baselines.md, "tf.data".
#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

// 3 ms and 1 ms per element on two cores.
HandMade ThreeAndOne(Bytes memory = {}) {
  return HandMade({{.name = "read", .workers = 4}, {.name = "decode", .workers = 4}}, 2, memory);
}

constexpr const char* kFirst = "read.workers 4->2, decode.workers 4->2";  // initial_parallelism

std::string AfterAHundred(std::string_view name, HandMade plant) {
  const auto rule = Made(name);
  EXPECT_EQ(plant.Ask(*rule), kFirst);
  plant.Pass(0.2, {{100, 0.3, 8}, {100, 0.1, 8}}, {100, 0.1});
  return plant.Ask(*rule);
}

TEST(TfData, BeginsWithSixteenWorkersPerOpOrAWorkerPerCore) {
  const auto first = [](double cores) {
    return HandMade({{.name = "read"}, {.name = "decode", .workers = 4}}, cores)
        .Ask(*Made("tfdata-hill-climb"));
  };
  EXPECT_EQ(first(64), "read.workers 1->16, decode.workers 4->16");
  EXPECT_EQ(first(8), "read.workers 1->8, decode.workers 4->8");
}

TEST(TfData, HillClimbStopsWhereItsModelHasUsedTheCores) {
  EXPECT_EQ(AfterAHundred("tfdata-hill-climb", ThreeAndOne()), "decode.workers 2->1");
}

TEST(TfData, MaxParallelismGivesEveryOpEveryCore) {
  EXPECT_EQ(AfterAHundred("tfdata-max-parallelism", ThreeAndOne()), "");
}

TEST(TfData, MaxParallelismStopsAtTheByteBudget) {
  // 1000 bytes each, 15 slots beside the workers: (1 + 15) + (1 + 15) = 32 kB, one more worker fits.
  EXPECT_EQ(AfterAHundred("tfdata-max-parallelism", ThreeAndOne(Bytes{33'500})), "decode.workers 2->1");
}

// Stages of 6, 2 and 0.5 ms per batch.
TEST(TfData, StageBasedGoesAsFastAsItCanUntilItKnowsTheGapAndThenMeetsIt) {
  HandMade plant({{.name = "read"}, {.name = "decode"}, {.name = "batch", .rows_per_item = 2}}, 8);
  const auto rule = Made("tfdata-stage-based");
  EXPECT_EQ(plant.Ask(*rule), "read.workers 1->8, decode.workers 1->8, batch.workers 1->8");
  plant.Pass(0.2, {{100, 0.3, 8}, {100, 0.1, 8}, {50, 0.025, 8}}, {50, 0.125});
  EXPECT_EQ(plant.Ask(*rule), "decode.workers 8->3, batch.workers 8->1");
  plant.Pass(0.2, {{100, 0.3, 8}, {100, 0.1, 8}, {50, 0.025, 8}}, {50, 0.125});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 8->3, decode.workers 3->1");
}

// After the start itself, rounds begin 10, 30, 70, 150, 310, 630, 1270, 2550, 5110 ms after the start; ticks
// come every 200 ms. Nothing is applied here, so each round asks again.
TEST(TfData, ActsAtTimesThatDouble) {
  HandMade plant = ThreeAndOne();
  const auto rule = Made("tfdata-hill-climb");
  std::vector<int> at;
  for (int tick = 0; tick <= 30; ++tick) {
    if (rule->Decide(plant.seen()).id != 0) at.push_back(tick * 200);
    plant.Pass(0.2, {{100, 0.3, 8}, {100, 0.1, 8}}, {100, 0.1});
  }
  EXPECT_EQ(at, (std::vector{0, 200, 400, 800, 1400, 2600, 5200}));
}

TEST(TfData, PrefetchHasATunerOfItsOwn) {
  HandMade plant = ThreeAndOne();
  const auto rule = Made("tfdata-hill-climb");
  plant.Pass(0.2, {{100, 0.3, 8}, {100, 0.1, 16}}, {100, 0.1});
  EXPECT_EQ(plant.Ask(*rule), kFirst);
  plant.Pass(0.2, {{100, 0.3, 8}, {100, 0.1, 0}}, {100, 0.1});
  EXPECT_EQ(plant.Ask(*rule), "decode.workers 2->1, decode.capacity 16->32");
}

}  // namespace
}  // namespace sluice::baselines

// The arithmetic of these traces is in docs/baselines.md, "MindSpore AutoTune".
#include <gtest/gtest.h>

#include "baselines/hand_made.h"
#include "baselines/made.h"

namespace sluice::baselines {
namespace {

using testing::HandMade;
using testing::Made;

HandMade ReadAndDecode(double cores) {
  return HandMade({{.name = "read", .workers = 1}, {.name = "decode", .workers = 2}}, cores);
}

void WarmUp(HandMade& plant, autotune::Controller& rule) {
  EXPECT_EQ(plant.Ask(rule), "");
  plant.Pass(15, {{150, 1, 16}, {150, 1, 0}}, {150, 1});
  EXPECT_EQ(plant.Ask(rule), "");
}

TEST(MindSpore, FollowsTheTimePhaseStepByStep) {
  HandMade plant = ReadAndDecode(8);
  const auto rule = Made("mindspore");
  WarmUp(plant, *rule);
  plant.Pass(3.0, {{30, 0.30, 16}, {30, 5.40, 2}}, {30, 1});
  EXPECT_EQ(plant.Ask(*rule), "decode.workers 2->4");
  plant.Pass(1.5, {{30, 0.30, 4}, {30, 5.40, 4}}, {30, 1});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 1->3, decode.workers 4->6");
  plant.Pass(1.2, {{30, 0.72, 4}, {30, 2.16, 10}}, {30, 1});
  EXPECT_EQ(plant.Ask(*rule), "read.workers 3->5, decode.capacity 16->20");
  plant.Pass(1.1, {{30, 0.72, 4}, {30, 2.16, 16}}, {30, 1});
  EXPECT_EQ(plant.Ask(*rule), "");
  EXPECT_EQ(plant.last().verdict.limit, Limit::kConsumer);
}

TEST(MindSpore, WaitsForThirtyStepsAndASecond) {
  HandMade plant = ReadAndDecode(8);
  const auto rule = Made("mindspore");
  WarmUp(plant, *rule);
  plant.Pass(0.5, {{30, 0, 16}, {30, 0.9, 0}}, {30, 0});
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(0.5, {{30, 0, 16}, {30, 0.9, 0}}, {30, 0});
  EXPECT_EQ(plant.Ask(*rule), "decode.workers 2->4");
  plant.Pass(5, {{29, 0, 16}, {29, 18, 0}}, {29, 0});
  EXPECT_EQ(plant.Ask(*rule), "");
}

// A round of 0.1 s per step with two workers, then only slower ones.
std::string AfterElevenSlowerRounds(std::string_view name, HandMade& plant, autotune::Controller& rule) {
  WarmUp(plant, rule);
  plant.Pass(3, {{30, 0.3, 16}, {30, 5.4, 8}}, {30, 1});
  EXPECT_EQ(plant.Ask(rule), "decode.workers 2->4") << name;
  for (int round = 1; round <= 10; ++round) {
    plant.Pass(6, {{30, 0.3, 16}, {30, 21, 8}}, {30, 1});
    EXPECT_EQ(plant.Ask(rule), "") << name << ", round " << round;
  }
  plant.Pass(6, {{30, 0.3, 16}, {30, 21, 8}}, {30, 1});
  return plant.Ask(rule);
}

TEST(MindSpore, GoesBackToTheBestRoundAfterElevenThatWereNotBetterAndThenShrinksQueues) {
  HandMade plant = ReadAndDecode(4);
  const auto rule = Made("mindspore");
  EXPECT_EQ(AfterElevenSlowerRounds("mindspore", plant, *rule), "decode.workers 4->2");
  plant.Pass(3, {{30, 0.3, 16}, {30, 5.4, 8}}, {30, 1});
  EXPECT_EQ(plant.Ask(*rule), "read.capacity 16->12");
  plant.Pass(3, {{30, 0.3, 12}, {30, 5.4, 8}}, {30, 1});
  EXPECT_EQ(plant.Ask(*rule), "read.capacity 12->9");
  plant.Pass(3, {{30, 0.3, 9}, {30, 5.4, 7}}, {30, 1});
  EXPECT_EQ(plant.Ask(*rule), "read.capacity 9->12");
}

TEST(MindSpore, StaysWithTheLastSettingInTheOlderGeneration) {
  HandMade plant = ReadAndDecode(4);
  const auto rule = Made("mindspore-older");
  EXPECT_EQ(AfterElevenSlowerRounds("mindspore-older", plant, *rule), "");
}

TEST(MindSpore, ActsOncePerEpochByDefaultAfterTheFirst) {
  HandMade plant = ReadAndDecode(8);
  const auto rule = Made("mindspore-epoch");
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(60, {{600, 6, 16}, {600, 100, 0}}, {600, 1});
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.TurnEpoch();
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.Pass(60, {{600, 6, 16}, {600, 100, 0}}, {600, 1});
  EXPECT_EQ(plant.Ask(*rule), "");
  plant.TurnEpoch();
  plant.Pass(1, {{1, 0, 16}, {1, 0, 0}}, {1, 0});
  EXPECT_EQ(plant.Ask(*rule), "decode.workers 2->4");
}

}  // namespace
}  // namespace sluice::baselines

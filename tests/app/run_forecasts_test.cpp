#include "doctor/run_forecasts.h"

#include <gmock/gmock.h>

#include "app/steered_run.h"

namespace sluice::app {
namespace {

using testing::HasSubstr;

const Cut kFewer{{KnobKind::kWorkers, 1}, "decode.workers", 2, 1};

// The steering of a run, without a socket between.
class ForeseeCutsTest : public testing::Test {
 protected:
  ControlRoad Road() {
    return {[] { return std::vector<std::string>{"7.control"}; },
            [this](const std::string&, const ControlCall& call) -> Result<ControlReply> {
              asked_.push_back(call.method + " " + call.path);
              const auto answer =
                  run_.steering.Handle({1, call.method, call.path, call.lease, call.body}, kRunStart);
              return ControlReply{answer.status, answer.json};
            }};
  }
  SteeredRun run_;
  std::vector<std::string> asked_;
};

TEST_F(ForeseeCutsTest, AsksTheRunAndChangesNothing) {
  run_.controller.forecast = {.now = {Rate{100}, 2, 64_MiB}, .then = {Rate{75}, 1.5, 48_MiB}};
  const auto foreseen = ForeseeCuts(Road(), {7, "train"}, {kFewer});
  ASSERT_EQ(foreseen.size(), 1);
  EXPECT_EQ(foreseen[0].cut, kFewer);
  ASSERT_TRUE(foreseen[0].now && foreseen[0].then) << foreseen[0].unknown;
  EXPECT_EQ(foreseen[0].now->rate, Rate{100});
  EXPECT_EQ(foreseen[0].then->rate, Rate{75});
  EXPECT_EQ(foreseen[0].then->bytes, 48_MiB);
  for (const std::string& request : asked_)
    EXPECT_TRUE(request.starts_with("GET ") || request.ends_with("/forecast")) << request;
  EXPECT_TRUE(run_.plant.acted.empty());
}

TEST_F(ForeseeCutsTest, OfARunThatNobodyTunesThereIsAReason) {
  const auto foreseen = ForeseeCuts(Road(), {8, "other"}, {kFewer, kFewer});
  ASSERT_EQ(foreseen.size(), 2);
  for (const Foreseen& each : foreseen) {
    EXPECT_FALSE(each.then);
    EXPECT_THAT(each.unknown, HasSubstr("Nobody can be asked"));
    EXPECT_FALSE(each.steered);
  }
}

TEST_F(ForeseeCutsTest, ARunThatDoesNotAnswerIsAnotherThing) {
  const ControlRoad silent{[] { return std::vector<std::string>{"7.control"}; },
                           [](const std::string&, const ControlCall&) -> Result<ControlReply> {
                             return Fail("7.control: no answer within 5s");
                           }};
  EXPECT_EQ(ForeseeCuts(silent, {7, "train"}, {kFewer}).at(0).unknown, "7.control: no answer within 5s");
}

TEST_F(ForeseeCutsTest, ARunThatKnowsTooLittleYetSaysSo) {
  const auto foreseen = ForeseeCuts(Road(), {7, "train"}, {kFewer});
  EXPECT_FALSE(foreseen.at(0).then);
  EXPECT_FALSE(foreseen[0].unknown.empty());
}

TEST_F(ForeseeCutsTest, ARefusalIsTheRunsOwnWord) {
  const auto foreseen = ForeseeCuts(Road(), {7, "train"}, {{{KnobKind::kWorkers, 9}, "fetch.workers", 2, 1}});
  EXPECT_FALSE(foreseen.at(0).then);
  EXPECT_THAT(foreseen[0].unknown, HasSubstr("fetch.workers"));
}

class FromOutsideTest : public testing::Test {
 protected:
  std::vector<Foreseen> Look() {
    return ForeseeFromOutside(plant_, model_, asked_, [this] { ++pauses_; });
  }
  FromOutsideTest() { plant_.rate = 100; }

  ScriptedPlant plant_;
  ScriptedController model_;
  std::vector<Foreseen> asked_{{.cut = kFewer, .now = {}, .then = {}, .unknown = "no answer came"}};
  int pauses_ = 0;
};

TEST_F(FromOutsideTest, AModelThatHasLookedForSomeSecondsAnswersForTheRun) {
  model_.forecast = {.now = {Rate{100}, 2, 64_MiB}, .then = {Rate{75}, 1.5, 48_MiB}};
  const Foreseen foreseen = Look().at(0);
  ASSERT_TRUE(foreseen.then);
  EXPECT_EQ(foreseen.then->rate, Rate{75});
  EXPECT_EQ(foreseen.by, "a forecast from a look of 2.50s at the run");
  EXPECT_EQ(foreseen.unknown, "no answer came") << "that is still told";
  EXPECT_EQ(plant_.looks, pauses_);
  EXPECT_EQ(model_.seen.size(), pauses_);
  EXPECT_TRUE(plant_.acted.empty());
  EXPECT_EQ(model_.forecast->changes, (std::vector<KnobChange>{{kFewer.id, 2, 1}}));
}

TEST_F(FromOutsideTest, AModelThatHasSeenTooLittleMakesNothingUp) {
  const Foreseen foreseen = Look().at(0);
  EXPECT_FALSE(foreseen.then);
  EXPECT_EQ(foreseen.unknown, "no answer came; in a look of 2.50s at the run too little was seen for one");
}

TEST_F(FromOutsideTest, ARunThatHandsOutHardlyAnythingIsNotForeseen) {
  model_.forecast = {.now = {Rate{100}, 2, 64_MiB}, .then = {Rate{75}, 1.5, 48_MiB}};
  plant_.rate = 0.4;
  EXPECT_FALSE(Look().at(0).then);
}

TEST_F(FromOutsideTest, MoreCoresThanThereAreAreNotBelieved) {
  model_.forecast = {.now = {Rate{100}, 10, 64_MiB}, .then = {Rate{75}, 9, 48_MiB}};
  EXPECT_FALSE(Look().at(0).then) << "its budget is 4";
}

TEST_F(FromOutsideTest, WhatTheRunHasAnsweredStays) {
  model_.forecast = {.now = {Rate{100}}, .then = {Rate{75}}};
  asked_[0].now = asked_[0].then = Outlook{.rate = Rate{50}};
  EXPECT_EQ(Look().at(0).then->rate, Rate{50});
  EXPECT_TRUE(AllForeseen(asked_));
}

}  // namespace
}  // namespace sluice::app

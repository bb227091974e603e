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

}  // namespace
}  // namespace sluice::app

#include "loader_stories.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ConsumerInterval Window(double rate, double starved) {
  return {.length = std::chrono::seconds(3),
          .items = Rate{rate},
          .rows = {},
          .starved = Fraction{starved},
          .active = std::chrono::seconds(3)};
}

LoaderStory Story(double rate, double starved, std::optional<int> rank = {}) {
  LoaderStory story;
  story.program = "train.py: loader (Photos)";
  story.rank = rank;
  story.start.knobs = {{.id = {KnobKind::kWorkers, 1}, .name = "fetch.workers", .value = 1},
                       {.id = {KnobKind::kCapacity, 1}, .name = "fetch.capacity", .value = 2}};
  story.end = story.start;
  story.end.consumer.items = 100;
  story.end.consumer.busy = std::chrono::seconds(10);
  story.first_window = story.last_window = Window(rate, starved);
  story.verdict.sentence = "fetch limits the run";
  return story;
}

TEST(LoaderStories, SaysWhatItWasWhatItIsAndHowToKeepIt) {
  LoaderStory story = Story(31.42, 0.008);
  story.first_window = Window(12.13, 0.61);
  story.end.knobs[0].value = 6;
  story.end.knobs[1].value = 13;
  EXPECT_EQ(LoadersText({story}),
            "  train.py: loader (Photos)\n"
            "    12.1 -> 31.4 batches/s, the trainer waited 61% -> 0.8% of its time\n"
            "    fetch.workers 1 -> 6, fetch.capacity 2 -> 13\n"
            "    fetch limits the run\n"
            "    to write it into the script: DataLoader(num_workers=6, prefetch_factor=3)\n");
}

TEST(LoaderStories, TheSameLoaderOfTwoProcessesIsToldApart) {
  LoaderStory first = Story(10, 0.1);
  LoaderStory second = Story(20, 0.2);
  first.pid = 71;
  second.pid = 72;
  EXPECT_THAT(LoadersText({first, second}), AllOf(HasSubstr("  train.py: loader (Photos), process 71\n"),
                                                  HasSubstr("  train.py: loader (Photos), process 72\n")));
  second.rank = 1;
  EXPECT_THAT(LoadersText({first, second}), Not(HasSubstr("process")));
}

TEST(LoaderStories, ThePauseBetweenTwoEpochsIsNoSlowLoader) {
  LoaderStory story = Story(10, 0.02);
  story.last_window->length = 2 * story.last_window->active;
  EXPECT_THAT(LoadersText({story}), HasSubstr("10 -> 20 batches/s"));
}

TEST(LoaderStories, AKnobThatIsHeldSaysWhy) {
  LoaderStory story = Story(10, 0.5);
  story.end.knobs[0].held = HeldBecause::kRandomDraws;
  EXPECT_THAT(LoadersText({story}), HasSubstr("fetch.workers 1 (held: random draws), fetch.capacity 2"));
}

TEST(LoaderStories, AFewBatchesAreNoRateAndNoVerdict) {
  LoaderStory story = Story(1, 0.8);
  story.end.consumer.items = 4;
  EXPECT_THAT(LoadersText({story}), AllOf(HasSubstr("4 batches, too few"), Not(HasSubstr("limits"))));
}

TEST(LoaderStories, WhatDidNotMoveIsSaidOnce) {
  EXPECT_THAT(LoadersText({Story(12, 0.02)}),
              AllOf(HasSubstr("12 batches/s, the trainer waited 2.0%"), HasSubstr("fetch.workers 1,"),
                    Not(HasSubstr("->")), Not(HasSubstr("to write"))));
}

TEST(LoaderStories, AnAdviceIsSaidAsTheArgumentsOfALoader) {
  LoaderStory story = Story(12, 0.6);
  story.advising = true;
  Decision advice;
  advice.id = 1;
  advice.advice = true;
  advice.because = "fetch is busy";
  advice.predicted = Rate{50};
  advice.changes = {{{KnobKind::kWorkers, 1}, 1, 4}, {{KnobKind::kCapacity, 1}, 2, 5}};
  story.decisions.Add(advice);
  EXPECT_THAT(
      LoadersText({story}),
      HasSubstr(
          "advice: DataLoader(num_workers=4, prefetch_factor=2), predicted 50 batches/s: fetch is busy"));
}

TEST(LoaderStories, ALoaderThatHandedOutNothingIsNoStory) {
  LoaderStory story = Story(0, 0);
  story.end.consumer.items = 0;
  EXPECT_EQ(LoadersText({story}), "");
}

TEST(LoaderStories, TooShortARunHasNoRate) {
  LoaderStory story = Story(0, 0);
  story.first_window.reset();
  story.last_window.reset();
  EXPECT_THAT(LoadersText({story}), HasSubstr("100 batches, too few to measure a rate"));
}

TEST(LoaderStories, TheSlowestRankIsTheOneThatWaitsForItsInput) {
  EXPECT_THAT(SlowestRank({Story(10, 0.01, 0), Story(10, 0.3, 1), Story(10, 0.02, 2)}),
              AllOf(HasSubstr("rank 1"), HasSubstr("30%"), HasSubstr("fetch limits the run")));
  EXPECT_THAT(SlowestRank({Story(10, 0.01, 0), Story(10, 0.02, 1)}), HasSubstr("none is held up more"));
}

TEST(LoaderStories, RanksThatRunOnTheirOwnAreComparedByTheirRates) {
  EXPECT_THAT(SlowestRank({Story(10, 0.01, 0), Story(6, 0.01, 1)}),
              AllOf(HasSubstr("rank 1 with 6 batches/s"), HasSubstr("rank 0, 10")));
}

TEST(LoaderStories, ARankIsItsMainLoader) {
  LoaderStory validation = Story(1, 0.9, 0);
  validation.end.consumer.busy = std::chrono::seconds(1);
  EXPECT_THAT(SlowestRank({Story(10, 0.01, 0), validation, Story(10, 0.02, 1)}),
              HasSubstr("none is held up more"));
  EXPECT_EQ(SlowestRank({Story(10, 0.5, 0), validation}), "") << "one rank";
}

}  // namespace
}  // namespace sluice

#include "findings/loader_stories.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

WindowValues Window(double rate, double waits, LoaderSetting setting) {
  WindowValues window;
  window.active = 3s;
  window.batches = static_cast<std::uint64_t>(3 * rate);
  window.rate = rate;
  window.waits = Fraction{waits};
  window.setting = setting;
  window.of_loader = true;
  window.cores = 1;
  window.fetch_busy = Fraction{0.95};
  window.fetch_off = Fraction{0.9};
  window.fetch_queued = Fraction{0};
  return window;
}

void Set(LoaderStory& story, LoaderSetting start, LoaderSetting end) {
  story.values.start = start;
  story.values.end = end;
  story.start = {{.id = {KnobKind::kWorkers, 1}, .name = "fetch.workers", .value = start.workers},
                 {.id = {KnobKind::kCapacity, 1}, .name = "fetch.capacity", .value = start.capacity}};
  story.end = story.start;
  story.end[0].value = end.workers;
  story.end[1].value = end.capacity;
  if (story.values.first) story.values.first->setting = start;
  if (story.values.last) story.values.last->setting = end;
}

// Runs with one setting.
LoaderStory Story(double rate, double waits, std::optional<int> rank = {}) {
  LoaderStory story;
  story.program = "train.py: loader (Photos)";
  story.rank = rank;
  story.pid = 70 + rank.value_or(0);
  story.values.batches = 1000;
  story.values.cores = 2;
  story.values.active = 100s;
  story.values.first = story.values.last = Window(rate, waits, {1, 2});
  Set(story, {1, 2}, {1, 2});
  story.values.finding = FindLimit(*story.values.last, 2, false);
  return story;
}

// 1 worker becomes 6, and 12 batches/s become 31.
LoaderStory Tuned(std::optional<int> rank = {}) {
  LoaderStory story = Story(31.42, 0.008, rank);
  story.values.first = Window(12.13, 0.61, {1, 2});
  Set(story, {1, 2}, {6, 13});
  story.values.active = 40s;
  return story;
}

TEST(LoaderStories, SaysWhatItWasWhatItIsAndHowToKeepIt) {
  EXPECT_EQ(LoadersText({Tuned()}),
            "  train.py: loader (Photos)\n"
            "    saved 42.4s of 82.4s\n"
            "    12.1 -> 31.4 batches/s, waiting 61% -> 0.8% of the time\n"
            "    fetch.workers 1 -> 6, fetch.capacity 2 -> 13\n"
            "    0.8% waiting: the training loop is the limit, the loader keeps up; nothing to do\n"
            "    to write it into the script: DataLoader(num_workers=6, prefetch_factor=3)\n");
}

TEST(LoaderStories, EpochsAreTheNetResult) {
  LoaderStory story = Tuned();
  story.values.epochs = {{.epoch = 0, .batches = 333, .active = 20s, .whole = true},
                         {.epoch = 1, .batches = 333, .active = 10s, .whole = true},
                         {.epoch = 2, .batches = 334, .active = 10s, .whole = true}};
  EXPECT_THAT(LoadersText({story}),
              HasSubstr("    epoch 1: 20.0s, last of 3: 10.0s; saved 42.4s of 82.4s\n"));
  story.values.first.reset();
  EXPECT_THAT(LoadersText({story}), HasSubstr("last of 3: 10.0s; saved 20.1s of 60.1s\n"))
      << "against the first epoch where there is nothing better";
  story.values.longer_first_start = 5s;
  EXPECT_THAT(LoadersText({story}), HasSubstr("last of 3: 10.0s; saved 5.05s of 45.0s\n"));
  story.values.first = Window(12.13, 0.61, {1, 2});
  story.values.whole_epochs = {0.05, 0.03};
  EXPECT_THAT(LoadersText({story}), HasSubstr("last of 3: 10.0s; saved 10.0s of 50.0s\n"))
      << "whole epochs with the script's own setting are better still";
}

TEST(LoaderStories, AChangeThatBroughtNothingIsNotAdvertised) {
  LoaderStory story = Tuned();
  story.values.last = Window(11.9, 0.6, {6, 13});
  story.values.finding = Finding::kFetchSleeps;
  EXPECT_THAT(
      LoadersText({story}),
      AllOf(HasSubstr("11.9 batches/s, waiting 61% -> 60% of the time; the changes brought no gain"),
            HasSubstr("12.1 batches/s before"), Not(HasSubstr("DataLoader(")), Not(HasSubstr("saved"))));
}

// The first epoch read from storage what later ones found in memory: any setting would be faster by now.
TEST(LoaderStories, WhatRowsNoLongerTakeIsNoGainOfTheChanges) {
  LoaderStory story = Tuned();
  story.values.epochs = {{.epoch = 0, .batches = 333, .active = 20s, .whole = true},
                         {.epoch = 1, .batches = 333, .active = 10s, .whole = true}};
  story.values.own_by_costs = 0.029;
  EXPECT_THAT(LoadersText({story}),
              AllOf(HasSubstr("epoch 1: 20.0s, last of 2: 10.0s\n"), HasSubstr("    31.4 batches/s"),
                    HasSubstr("rows or steps take less than in the beginning, so its rates do not compare"),
                    Not(HasSubstr("DataLoader(")), Not(HasSubstr("12.1"))));
  story.values.epochs.clear();
  EXPECT_THAT(LoadersText({story}), AllOf(Not(HasSubstr("DataLoader(")), Not(HasSubstr("saved"))));
  story.values.own_by_costs = 0.06;
  EXPECT_THAT(LoadersText({story}), AllOf(HasSubstr("saved 20.0s of 60.0s"), HasSubstr("DataLoader(")))
      << "of what the script's own setting would take by now";
}

TEST(LoaderStories, ARateThatGrewWhileEpochsDidNotShrinkIsNoGain) {
  LoaderStory story = Tuned();
  story.values.epochs = {{.epoch = 0, .batches = 500, .active = 20s, .whole = true},
                         {.epoch = 1, .batches = 500, .active = 20s, .whole = true}};
  EXPECT_THAT(LoadersText({story}), AllOf(HasSubstr("    31.4 batches/s"),
                                          HasSubstr("12.1 batches/s before, but epochs are no shorter"),
                                          Not(HasSubstr("DataLoader(")), Not(HasSubstr("saved"))));
}

TEST(LoaderStories, WhereOthersTookTheCoresRatesDoNotCompare) {
  LoaderStory story = Tuned();
  story.values.last = Window(11.9, 0.3, {6, 13});
  story.values.last->fetch_queued = Fraction{0.04};
  story.values.last->trainer_queued = Fraction{0.4};
  story.values.finding = Finding::kOtherWork;
  EXPECT_THAT(
      LoadersText({story}),
      AllOf(HasSubstr("11.9 batches/s, waiting 61% -> 30% of the time; other work took cores meanwhile"),
            HasSubstr("the training process queues for a core 40% of its time"), Not(HasSubstr("no gain"))));
}

// Of two cores, all through the run.
RunFacts Cores(double own, double others) {
  RunFacts facts;
  for (int i = 0; i <= 20; ++i) {
    facts.cores.Add(100s + i * 1s, FromSeconds(i * own), FromSeconds(i * (own + others)),
                    FromSeconds(i * (2 - own - others)));
  }
  return facts;
}

TEST(LoaderStories, NobodyElseIsBlamedForTheQueueBehindTheRunsOwnThreads) {
  LoaderStory story = Tuned();
  story.values.first->from = 100s;
  story.values.first->to = 103s;
  story.values.last = Window(11.9, 0.3, {6, 13});
  story.values.last->from = 104s;
  story.values.last->to = 108s;
  story.values.last->trainer_queued = Fraction{0.4};
  story.values.finding = Finding::kOtherWork;
  story.values.last->fetch_busy = Fraction{0.4};
  story.values.last->fetch_off = Fraction{0.1};
  EXPECT_THAT(LoadersText({story}, Cores(1.1, 0.85)), HasSubstr("other work on this machine is the limit"));
  EXPECT_THAT(LoadersText({story}, Cores(1.6, 0.02)),
              AllOf(HasSubstr("queues for a core 40% of its time, behind other threads of this run"),
                    HasSubstr("the changes brought no gain"), Not(HasSubstr("other work on this"))));
  EXPECT_THAT(LoadersText({story}, Cores(1.94, 0.05)),
              AllOf(HasSubstr("1.94 of 2 cores in use: the cores are the limit"),
                    HasSubstr("brought no gain"), Not(HasSubstr("other work"))))
      << "other loaders of the run have them too";
}

TEST(LoaderStories, WhatTheProcessItselfNotesIsSaid) {
  LoaderStory story = Story(31.42, 0.008);
  story.notes = {"random draws are others"};
  EXPECT_THAT(LoadersText({story}), HasSubstr("\n    random draws are others\n"));
}

TEST(LoaderStories, WhatContradictsItselfIsNotSaid) {
  LoaderStory story = Story(31.42, 0.94);
  story.values.finding = Finding::kLoop;
  EXPECT_THAT(LoadersText({story}),
              AllOf(HasSubstr("31.4 batches/s, waiting 94% of the time"), Not(HasSubstr("the limit"))));
}

TEST(LoaderStories, ASettingThatCameTooLateIsNotJudged) {
  LoaderStory story = Tuned();
  story.values.last->setting.reset();
  story.values.finding = Finding::kUnknown;
  EXPECT_THAT(LoadersText({story}), HasSubstr("the settings changed shortly before the end"));
}

TEST(LoaderStories, TheSameLoaderOfTwoProcessesIsToldApart) {
  LoaderStory first = Story(10, 0.1);
  LoaderStory second = Story(20, 0.2);
  first.pid = 71;
  second.pid = 72;
  EXPECT_THAT(LoadersText({first, second}), AllOf(HasSubstr("  train.py: loader (Photos), process 71\n"),
                                                  HasSubstr("  train.py: loader (Photos), process 72\n")));
  second.rank = 1;
  EXPECT_THAT(LoadersText({first, second}), Not(HasSubstr(", process")));
}

TEST(LoaderStories, TwoLoadersOfOneNameGetTheirSizes) {
  LoaderStory first = Story(10, 0.1);
  LoaderStory second = Story(20, 0.2);
  first.values.epoch_batches = 500;
  second.values.epoch_batches = 63;
  EXPECT_THAT(LoadersText({first, second}),
              AllOf(HasSubstr("  train.py: loader (Photos), 500 batches per epoch\n"),
                    HasSubstr("  train.py: loader (Photos), 63 batches per epoch\n")));
}

TEST(LoaderStories, AKnobThatIsHeldSaysWhyAndWhatWouldHelp) {
  LoaderStory story = Story(10, 0.5);
  story.end[0].held = HeldBecause::kRandomDraws;
  EXPECT_THAT(LoadersText({story}), AllOf(HasSubstr("fetch.workers 1 (held: random draws), fetch.capacity 2"),
                                          HasSubstr("num_workers is held at 1"), HasSubstr("--repro free")));
}

TEST(LoaderStories, AFewBatchesAreNoRateAndNoVerdict) {
  LoaderStory story = Story(1, 0.8);
  story.values.batches = 4;
  EXPECT_THAT(LoadersText({story}), AllOf(HasSubstr("4 batches, too few"), Not(HasSubstr("waiting"))));
}

TEST(LoaderStories, WhatNothingChangedIsSaidOnce) {
  LoaderStory story = Story(12, 0.02);
  story.values.first = Window(17, 0.02, {1, 2});
  EXPECT_THAT(LoadersText({story}),
              AllOf(HasSubstr("12 batches/s, waiting 2.0%"), HasSubstr("fetch.workers 1,"),
                    Not(HasSubstr("->")), Not(HasSubstr("to write")), Not(HasSubstr("saved"))));
}

TEST(LoaderStories, RowsThatOnlySleepAreNotCalledStorage) {
  const LoaderStory story = Story(12, 0.6);
  EXPECT_THAT(
      LoadersText({story}, {.storage_read = Bytes{0}}),
      AllOf(HasSubstr("a lock or a sleep: nothing was read from storage"), Not(HasSubstr("storage limits"))));
  EXPECT_THAT(LoadersText({story}, {.storage_read = 4_MiB}), HasSubstr("4.00 MiB were read from storage"));
}

TEST(LoaderStories, NamesTheStepThatCostsTheTime) {
  LoaderStory story = Story(12, 0.6);
  story.values.last->fetch_off = Fraction{0.1};
  story.values.finding = Finding::kFetchComputes;
  story.values.cost = CostValues{"RandomCrop", {0.62}, 3100us, true};
  EXPECT_THAT(LoadersText({story}), HasSubstr("RandomCrop takes 62% of the fetch time (3.10ms per row)"));
}

TEST(LoaderStories, WorkersThatWereTriedInVainAreNotAskedForAgain) {
  LoaderStory story = Story(12, 0.6);
  story.values.last->fetch_off = Fraction{0.1};
  story.values.finding = Finding::kFetchComputes;
  EXPECT_THAT(LoadersText({story}), HasSubstr("more workers help"));
  story.values.tried_in_vain = TriedWorkers{3, true, true};
  EXPECT_THAT(LoadersText({story}),
              AllOf(HasSubstr("3 workers were tried, started anew in every epoch: epochs were no shorter; "
                              "persistent_workers=True"),
                    Not(HasSubstr("more workers help"))));
  story.values.tried_in_vain = TriedWorkers{1, false, false};
  EXPECT_THAT(
      LoadersText({story}),
      HasSubstr("1 worker was tried: the CPU time grew by more than epochs shrank; make rows cheaper"));
}

TEST(LoaderStories, AnAdviceIsSaidAsTheArgumentsOfALoader) {
  LoaderStory story = Story(12, 0.6);
  story.advising = true;
  story.values.advice = AdviceValues{{4, 5}, 25};
  EXPECT_THAT(LoadersText({story}),
              HasSubstr("advice: DataLoader(num_workers=4, prefetch_factor=2), predicted 25 batches/s\n"));
}

TEST(LoaderStories, ALoaderThatHandedOutNothingIsNoStory) {
  LoaderStory story = Story(0, 0);
  story.values.batches = 0;
  EXPECT_EQ(LoadersText({story}), "");
}

TEST(LoaderStories, TooShortARunHasNoRate) {
  LoaderStory story = Story(10, 0);
  story.values.first.reset();
  story.values.last.reset();
  EXPECT_THAT(LoadersText({story}), HasSubstr("1000 batches, too few to measure a rate"));
}

TEST(LoaderStories, TheSlowestRankIsTheOneThatWaitsForItsInput) {
  EXPECT_THAT(SlowestRank({Story(10, 0.01, 0), Story(10, 0.3, 1), Story(10, 0.02, 2)}),
              AllOf(HasSubstr("rank 1"), HasSubstr("30%"), HasSubstr("off the cores")));
  EXPECT_THAT(SlowestRank({Story(10, 0.01, 0), Story(10, 0.02, 1)}), HasSubstr("none is held up more"));
}

TEST(LoaderStories, RanksThatRunOnTheirOwnAreComparedByTheirRates) {
  EXPECT_THAT(SlowestRank({Story(10, 0.01, 0), Story(6, 0.01, 1)}),
              AllOf(HasSubstr("rank 1 with 6 batches/s"), HasSubstr("rank 0, 10")));
}

TEST(LoaderStories, ARankIsItsMainLoader) {
  LoaderStory validation = Story(1, 0.9, 0);
  validation.values.active = 1s;
  EXPECT_THAT(SlowestRank({Story(10, 0.01, 0), validation, Story(10, 0.02, 1)}),
              HasSubstr("none is held up more"));
  EXPECT_EQ(SlowestRank({Story(10, 0.5, 0), validation}), "") << "one rank";
}

TEST(LoaderStories, AScriptOfSeveralRanksHasOneLine) {
  LoaderStory one = Tuned(1);
  Set(one, {1, 2}, {4, 9});
  const std::string text = LoadersText({Tuned(0), one, Tuned(2)});
  EXPECT_THAT(text, HasSubstr("  train.py: loader (Photos): to write it into the script, all 3 processes: "
                              "DataLoader(num_workers=6, prefetch_factor=3)\n"));
  EXPECT_EQ(text.find("DataLoader("), text.rfind("DataLoader("));
}

}  // namespace
}  // namespace sluice::app

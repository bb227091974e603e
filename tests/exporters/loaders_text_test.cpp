#include "loaders/loaders_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporters/example_loader.h"
#include "loaders/rank_standing.h"

namespace sluice::exporters {
namespace {

using namespace std::chrono_literals;
using example::Loader;
using example::Set;
using example::Tuned;
using example::Waiting;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LoadersText, SaysWhatItWasWhatItIsAndHowToKeepIt) {
  EXPECT_EQ(LoadersText({Tuned()}),
            "  train.py: loader (Photos)\n"
            "    saved 42.4s of 82.4s\n"
            "    12.1 -> 31.4 batches/s, waiting 61% -> 0.8% of the time\n"
            "    fetch.workers 1 -> 6, fetch.capacity 2 -> 13\n"
            "    0.8% waiting: the training loop is the limit, the loader keeps up; nothing to do\n"
            "    to write it into the script: DataLoader(num_workers=6, prefetch_factor=3)\n");
}

TEST(LoadersText, EpochsAreTheNetResult) {
  LoaderReport loader = Tuned();
  loader.values.epochs = {{.epoch = 0, .batches = 333, .active = 20s, .whole = true},
                          {.epoch = 1, .batches = 333, .active = 10s, .whole = true},
                          {.epoch = 2, .batches = 334, .active = 10s, .whole = true}};
  EXPECT_THAT(LoadersText({loader}),
              HasSubstr("    epoch 1: 20.0s, last of 3: 10.0s; saved 42.4s of 82.4s\n"));
  loader.values.first.reset();
  EXPECT_THAT(LoadersText({loader}), HasSubstr("last of 3: 10.0s; saved 20.1s of 60.1s\n"))
      << "against the first epoch where there is nothing better";
  loader.values.longer_first_start = 5s;
  EXPECT_THAT(LoadersText({loader}), HasSubstr("last of 3: 10.0s; saved 5.05s of 45.0s\n"));
  loader.values.first = Waiting(12.13, 0.61, {1, 2});
  loader.values.whole_epochs = {0.05, 0.03};
  EXPECT_THAT(LoadersText({loader}), HasSubstr("last of 3: 10.0s; saved 10.0s of 50.0s\n"))
      << "whole epochs with the script's own setting are better still";
}

TEST(LoadersText, AChangeThatBroughtNothingIsNotAdvertised) {
  LoaderReport loader = Tuned();
  loader.values.last = Waiting(11.9, 0.6, {6, 13});
  loader.values.finding = Finding::kFetchSleeps;
  EXPECT_THAT(
      LoadersText({loader}),
      AllOf(HasSubstr("11.9 batches/s, waiting 61% -> 60% of the time; the changes brought no gain"),
            HasSubstr("12.1 batches/s before"), Not(HasSubstr("DataLoader(")), Not(HasSubstr("saved"))));
}

TEST(LoadersText, AQuotaIsNamedInsteadOfTheCoresInUse) {
  LoaderReport loader = Tuned();
  loader.values.last = Waiting(11.9, 0.92, {6, 13});
  loader.values.last->machine = CoresUse{.own = 1.2, .others = 0.1, .idle = 14};
  loader.values.throttled = "throttled by the cgroup quota: 2.0 of 16 cores, in 93% of its periods";
  for (const Finding finding : {Finding::kCores, Finding::kBursts}) {
    loader.values.finding = finding;
    EXPECT_THAT(
        LoadersText({loader}),
        AllOf(HasSubstr("92% waiting: throttled by the cgroup quota: 2.0 of 16 cores, in 93% of its periods; "
                        "make rows cheaper, or raise the quota"),
              Not(HasSubstr("in use"))));
  }
}

// The first epoch read from storage what later ones found in memory: any setting would be faster by now.
TEST(LoadersText, WhatRowsNoLongerTakeIsNoGainOfTheChanges) {
  LoaderReport loader = Tuned();
  loader.values.epochs = {{.epoch = 0, .batches = 333, .active = 20s, .whole = true},
                          {.epoch = 1, .batches = 333, .active = 10s, .whole = true}};
  loader.values.own_by_costs = 0.029;
  EXPECT_THAT(LoadersText({loader}),
              AllOf(HasSubstr("epoch 1: 20.0s, last of 2: 10.0s\n"), HasSubstr("    31.4 batches/s"),
                    HasSubstr("rows or steps take less than in the beginning, so its rates do not compare"),
                    Not(HasSubstr("DataLoader(")), Not(HasSubstr("12.1"))));
  loader.values.epochs.clear();
  EXPECT_THAT(LoadersText({loader}), AllOf(Not(HasSubstr("DataLoader(")), Not(HasSubstr("saved"))));
  loader.values.own_by_costs = 0.06;
  EXPECT_THAT(LoadersText({loader}), AllOf(HasSubstr("saved 20.0s of 60.0s"), HasSubstr("DataLoader(")))
      << "of what the script's own setting would take by now";
}

TEST(LoadersText, ARateThatGrewWhileEpochsDidNotShrinkIsNoGain) {
  LoaderReport loader = Tuned();
  loader.values.epochs = {{.epoch = 0, .batches = 500, .active = 20s, .whole = true},
                          {.epoch = 1, .batches = 500, .active = 20s, .whole = true}};
  EXPECT_THAT(LoadersText({loader}), AllOf(HasSubstr("    31.4 batches/s"),
                                           HasSubstr("12.1 batches/s before, but epochs are no shorter"),
                                           Not(HasSubstr("DataLoader(")), Not(HasSubstr("saved"))));
}

TEST(LoadersText, AFirstEpochInWhichSettingsChangedIsNoMeasureOfWhatTheyBrought) {
  LoaderReport loader = Tuned();
  loader.values.epochs = {{.epoch = 0, .batches = 500, .active = 20s, .whole = true, .changed = true},
                          {.epoch = 1, .batches = 500, .active = 20s, .whole = true}};
  EXPECT_THAT(
      LoadersText({loader}),
      AllOf(HasSubstr("31.4 batches/s, waiting 61% -> 0.8% of the time; 12.1 batches/s before, but as "
                      "the settings changed within epoch 1"),
            Not(HasSubstr("no gain")), Not(HasSubstr("saved"))));
  loader.values.whole_epochs = WholeEpochs{.own = 0.04, .now = 0.04};
  EXPECT_THAT(LoadersText({loader}), HasSubstr("no gain")) << "a whole one has shown it later";
}

TEST(LoadersText, WhereOthersTookTheCoresRatesDoNotCompare) {
  LoaderReport loader = Tuned();
  loader.values.last = Waiting(11.9, 0.3, {6, 13});
  loader.values.last->fetch_queued = Fraction{0.04};
  loader.values.last->trainer_queued = Fraction{0.4};
  loader.values.finding = Finding::kOtherWork;
  loader.values.last->machine = CoresUse{.own = 1.1, .others = 0.8, .idle = 0.1};
  EXPECT_THAT(
      LoadersText({loader}),
      AllOf(HasSubstr("11.9 batches/s, waiting 61% -> 30% of the time; other work took cores meanwhile"),
            HasSubstr("the training process queues for a core 40% of its time"), Not(HasSubstr("no gain"))));
}

TEST(LoadersText, WhatTheProcessItselfNotesIsSaid) {
  LoaderReport loader = Loader(31.42, 0.008);
  loader.notes = {"random draws are others"};
  EXPECT_THAT(LoadersText({loader}), HasSubstr("\n    random draws are others\n"));
}

TEST(LoadersText, ASettingThatCameTooLateIsNotJudged) {
  LoaderReport loader = Tuned();
  loader.values.last->setting.reset();
  loader.values.finding = Finding::kUnknown;
  EXPECT_THAT(LoadersText({loader}), HasSubstr("the settings changed shortly before the end"));
  loader.values.end = loader.values.start;
  EXPECT_THAT(LoadersText({loader}), HasSubstr("the script's own settings came back shortly before the end"));
}

TEST(LoadersText, TheSameLoaderOfTwoProcessesIsToldApart) {
  LoaderReport first = Loader(10, 0.1);
  LoaderReport second = Loader(20, 0.2);
  first.pid = 71;
  second.pid = 72;
  EXPECT_THAT(LoadersText({first, second}), AllOf(HasSubstr("  train.py: loader (Photos), process 71\n"),
                                                  HasSubstr("  train.py: loader (Photos), process 72\n")));
  second.rank = 1;
  EXPECT_THAT(LoadersText({first, second}), Not(HasSubstr(", process")));
}

TEST(LoadersText, TwoLoadersOfOneNameGetTheirSizes) {
  LoaderReport first = Loader(10, 0.1);
  LoaderReport second = Loader(20, 0.2);
  first.values.epoch_batches = 500;
  second.values.epoch_batches = 63;
  EXPECT_THAT(LoadersText({first, second}),
              AllOf(HasSubstr("  train.py: loader (Photos), 500 batches per epoch\n"),
                    HasSubstr("  train.py: loader (Photos), 63 batches per epoch\n")));
}

TEST(LoadersText, AKnobThatIsHeldSaysWhyAndWhatWouldHelp) {
  LoaderReport loader = Loader(10, 0.5);
  loader.end[0].held = HeldBecause::kRandomDraws;
  EXPECT_THAT(LoadersText({loader}),
              AllOf(HasSubstr("fetch.workers 1 (held: random draws), fetch.capacity 2"),
                    HasSubstr("num_workers is held at 1"), HasSubstr("--repro free")));
}

TEST(LoadersText, AFewBatchesAreNoRateAndNoVerdict) {
  LoaderReport loader = Loader(1, 0.8);
  loader.values.batches = 4;
  EXPECT_THAT(LoadersText({loader}), AllOf(HasSubstr("4 batches, too few"), Not(HasSubstr("waiting"))));
}

TEST(LoadersText, WhatNothingChangedIsSaidOnce) {
  LoaderReport loader = Loader(12, 0.02);
  loader.values.first = Waiting(17, 0.02, {1, 2});
  EXPECT_THAT(LoadersText({loader}),
              AllOf(HasSubstr("12 batches/s, waiting 2%"), HasSubstr("fetch.workers 1,"),
                    Not(HasSubstr("->")), Not(HasSubstr("to write")), Not(HasSubstr("saved"))));
}

TEST(LoadersText, RowsThatOnlySleepAreNotCalledStorage) {
  const LoaderReport loader = Loader(12, 0.6);
  EXPECT_THAT(
      LoadersText({loader}, Bytes{0}),
      AllOf(HasSubstr("a lock or a sleep: nothing was read from storage"), Not(HasSubstr("storage limits"))));
  EXPECT_THAT(LoadersText({loader}, 4_MiB), HasSubstr("4.00 MiB were read from storage"));
}

TEST(LoadersText, NamesTheStepThatCostsTheTime) {
  LoaderReport loader = Loader(12, 0.6);
  loader.values.last->fetch_off = Fraction{0.1};
  loader.values.finding = Finding::kFetchComputes;
  loader.values.cost = CostValues{"RandomCrop", {0.62}, 3100us, true};
  EXPECT_THAT(LoadersText({loader}), HasSubstr("RandomCrop takes 62% of the fetch time (3.10ms per row)"));
}

TEST(LoadersText, WorkersThatWereTriedInVainAreNotAskedForAgain) {
  LoaderReport loader = Loader(12, 0.6);
  loader.values.last->fetch_off = Fraction{0.1};
  loader.values.finding = Finding::kFetchComputes;
  EXPECT_THAT(LoadersText({loader}), HasSubstr("more workers help"));
  loader.values.tried_in_vain = TriedWorkers{3, true, true};
  EXPECT_THAT(LoadersText({loader}),
              AllOf(HasSubstr("3 workers were tried, started anew in every epoch: epochs were no shorter; "
                              "persistent_workers=True"),
                    Not(HasSubstr("more workers help"))));
  loader.values.tried_in_vain = TriedWorkers{1, false, false};
  EXPECT_THAT(
      LoadersText({loader}),
      HasSubstr("1 worker was tried: the CPU time grew by more than epochs shrank; make rows cheaper"));
}

TEST(LoadersText, ThreadsThatFightAreNamedWithTheRemedy) {
  LoaderReport loader = Loader(12, 0.6);
  loader.threads = CrowdedThreads{.workers = 2, .threads = 22, .cores = 8, .libraries = {"OpenBLAS"}};
  EXPECT_THAT(LoadersText({loader}), AllOf(HasSubstr("2 workers have 22 threads on 8 cores (OpenBLAS); "),
                                           HasSubstr("--tune-threads keeps"), Not(HasSubstr("kernel"))));
  loader.threads->in_kernel = Fraction{0.75};
  loader.threads->limited = true;
  EXPECT_THAT(LoadersText({loader}), AllOf(HasSubstr("and 75% of their CPU time is the kernel's"),
                                           HasSubstr("--tune-threads could not set all of them")));
}

TEST(LoadersText, WhatAnEarlierRunHasLeftIsSaid) {
  LoaderReport loader = Loader(12, 0.6);
  loader.started_from.emplace();
  EXPECT_THAT(LoadersText({loader}), HasSubstr("already set as an earlier run left it"));
  loader.started_from = {{{KnobKind::kWorkers, 1}, 1, 4}};
  EXPECT_THAT(LoadersText({loader}), HasSubstr("started from an earlier run: fetch.workers 1 \u2192 4"));
}

TEST(LoadersText, AnAdviceIsSaidAsTheArgumentsOfALoader) {
  LoaderReport loader = Loader(12, 0.6);
  loader.advising = true;
  loader.values.advice = AdviceValues{{4, 5}, 25};
  EXPECT_THAT(LoadersText({loader}),
              HasSubstr("advice: DataLoader(num_workers=4, prefetch_factor=2), predicted 25 batches/s\n"));
}

TEST(LoadersText, TooShortARunHasNoRate) {
  LoaderReport loader = Loader(10, 0);
  loader.values.first.reset();
  loader.values.last.reset();
  EXPECT_THAT(LoadersText({loader}), HasSubstr("1000 batches, too few to measure a rate"));
}

TEST(LoadersText, TheSlowestRankIsTheOneThatWaitsForItsInput) {
  EXPECT_THAT(SlowestRank({Loader(10, 0.01, 0), Loader(10, 0.3, 1), Loader(10, 0.02, 2)}),
              AllOf(HasSubstr("rank 1"), HasSubstr("30%"), HasSubstr("off the cores")));
  EXPECT_THAT(SlowestRank({Loader(10, 0.01, 0), Loader(10, 0.02, 1)}), HasSubstr("none is held up more"));
}

TEST(LoadersText, RanksThatWaitAlikeAreInStep) {
  EXPECT_THAT(SlowestRank({Loader(10, 0.4, 0), Loader(10, 0.42, 1)}), HasSubstr("none is held up more"));
}

TEST(LoadersText, RanksThatRunOnTheirOwnAreComparedByTheirRates) {
  EXPECT_THAT(SlowestRank({Loader(10, 0.01, 0), Loader(6, 0.01, 1)}),
              AllOf(HasSubstr("rank 1 with 6 batches/s"), HasSubstr("rank 0, 10")));
}

TEST(LoadersText, ARankIsItsMainLoader) {
  LoaderReport validation = Loader(1, 0.9, 0);
  validation.values.active = 1s;
  EXPECT_THAT(SlowestRank({Loader(10, 0.01, 0), validation, Loader(10, 0.02, 1)}),
              HasSubstr("none is held up more"));
  EXPECT_EQ(SlowestRank({Loader(10, 0.5, 0), validation}), "") << "one rank";
}

TEST(LoadersText, AScriptIsNotToSayWhatHelpedOneOfThreeRanks) {
  EXPECT_THAT(LoadersText({Tuned(0), Loader(10, 0.1, 1), Loader(10, 0.1, 2)}), Not(HasSubstr("DataLoader(")));
}

TEST(LoadersText, AScriptOfSeveralRanksHasOneLine) {
  LoaderReport one = Tuned(1);
  Set(one, {1, 2}, {4, 9});
  const std::string text = LoadersText({Tuned(0), one, Tuned(2)});
  EXPECT_THAT(text, HasSubstr("  train.py: loader (Photos): to write it into the script, all 3 processes: "
                              "DataLoader(num_workers=6, prefetch_factor=3)\n"));
  EXPECT_EQ(text.find("DataLoader("), text.rfind("DataLoader("));
}

}  // namespace
}  // namespace sluice::exporters

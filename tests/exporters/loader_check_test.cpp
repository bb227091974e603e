#include "sluice/exporters/loader_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporters/example_loader.h"

namespace sluice::exporters {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::Field;
using ::testing::IsEmpty;

auto About(Said what) {
  return Contains(Field(&Contradiction::what, what));
}

// Rows compute, 2 cores, 2 workers at the end, 100 batches per epoch.
LoaderValues Values() {
  LoaderValues values;
  values.batches = 500;
  values.cores = 2;
  values.epoch_batches = 100;
  values.start = {1, 2};
  values.end = {2, 3};
  values.first = example::Computing(10, 0.6, values.start);
  values.last = example::Computing(19, 0.4, values.end);
  values.active = 30s;
  values.finding = Finding::kFetchComputes;
  return values;
}

TEST(LoaderCheck, WhatHoldsIsLeftAlone) {
  EXPECT_THAT(CheckReport(Values()), IsEmpty());
  const LoaderValues checked = OnlyWhatHolds(Values());
  EXPECT_TRUE(checked.first && checked.last);
  EXPECT_EQ(checked.finding, Finding::kFetchComputes);
}

TEST(LoaderCheck, NoShareIsAboveOne) {
  LoaderValues values = Values();
  values.last->waits = Fraction{1.2};
  EXPECT_THAT(CheckReport(values), About(Said::kLast));
  EXPECT_FALSE(OnlyWhatHolds(values).last);
}

TEST(LoaderCheck, NobodyUses9CoresOf2) {
  LoaderValues values = Values();
  values.last->cores = 9.84;
  values.finding = Finding::kCores;
  EXPECT_THAT(CheckReport(values), AllOf(About(Said::kCores), About(Said::kFinding)));
  EXPECT_EQ(OnlyWhatHolds(values).finding, Finding::kUnknown);
  EXPECT_FALSE(OnlyWhatHolds(values).last->cores);
}

TEST(LoaderCheck, CoresAreNoLimitWhileTheyIdle) {
  LoaderValues values = Values();
  values.finding = Finding::kCores;
  EXPECT_THAT(CheckReport(values), About(Said::kFinding));
  values.last->cores = 1.95;
  EXPECT_THAT(CheckReport(values), IsEmpty());
}

TEST(LoaderCheck, OthersAreToBlameWhereTheyHaveTheCores) {
  LoaderValues values = Values();
  const CoresUse alone{.own = 1.2, .others = 0.1, .idle = 0.7};
  const CoresUse beside{.own = 1.2, .others = 0.7, .idle = 0.1};
  for (const auto& [finding, fits, other] :
       {std::tuple(Finding::kOtherWork, beside, alone), std::tuple(Finding::kBursts, alone, beside)}) {
    values.finding = finding;
    values.last->machine = fits;
    EXPECT_THAT(CheckReport(values), IsEmpty());
    values.last->machine = other;
    EXPECT_THAT(CheckReport(values), About(Said::kFinding));
  }
  values.last->machine.reset();
  EXPECT_THAT(CheckReport(values), IsEmpty()) << "bursts: who has the cores is not said";
  values.finding = Finding::kOtherWork;
  EXPECT_THAT(CheckReport(values), About(Said::kFinding)) << "nobody was seen";
}

TEST(LoaderCheck, ALoopThatWaitsMostOfItsTimeIsNotTheLimit) {
  LoaderValues values = Values();
  values.last->waits = Fraction{0.94};
  values.finding = Finding::kLoop;
  EXPECT_THAT(CheckReport(values), About(Said::kFinding));
  values.last->waits = Fraction{0.01};
  EXPECT_THAT(CheckReport(values), IsEmpty());
  values.finding = Finding::kFetchComputes;
  EXPECT_THAT(CheckReport(values), About(Said::kFinding)) << "a loader that keeps up limits nothing";
}

TEST(LoaderCheck, WorkersThatIdleAreTheLimitOnlyWhereTheyWouldNotDoBusyEither) {
  LoaderValues values = Values();
  values.last->fetch_busy = Fraction{0.65};
  values.last->waits = Fraction{0.8};
  EXPECT_THAT(CheckReport(values), IsEmpty())
      << "never idle, they would make half as much again of five times";
  values.last->waits = Fraction{0.4};
  EXPECT_THAT(CheckReport(values), About(Said::kFinding));
}

TEST(LoaderCheck, ASamplerThatIdlesIsNotTheLimit) {
  LoaderValues values = Values();
  values.last->sampler_busy = Fraction{0.001};
  values.finding = Finding::kSampler;
  EXPECT_THAT(CheckReport(values), About(Said::kFinding));
}

TEST(LoaderCheck, AFindingIsOfTheSettingThatIsShown) {
  LoaderValues values = Values();
  values.last->setting = LoaderSetting{24, 40};
  values.end = {16, 40};
  EXPECT_THAT(CheckReport(values), About(Said::kFinding));
  values.last->setting.reset();
  EXPECT_THAT(CheckReport(values), About(Said::kFinding)) << "it changed meanwhile";
}

TEST(LoaderCheck, OnlyWindowsAlikeAreCompared) {
  LoaderValues values = Values();
  values.first->setting = LoaderSetting{2, 2};
  EXPECT_FALSE(OnlyWhatHolds(values).first) << "of a setting that the script has never had";
  values = Values();
  values.first->from_start = true;
  EXPECT_FALSE(OnlyWhatHolds(values).first) << "the start of workers makes any rate look better after it";
  values = Values();
  values.first->batches = 2;
  EXPECT_FALSE(OnlyWhatHolds(values).first);
}

TEST(LoaderCheck, NoMoreBatchesOnTheirWayThanAnEpochHas) {
  LoaderValues values = Values();
  values.epoch_batches = 20;
  values.last->fetch_off = Fraction{0.9};
  values.advice = AdviceValues{{16, 16 * 148}, 30};
  EXPECT_THAT(CheckReport(values), About(Said::kAdvice));
  const LoaderSetting fits = Sensible(values.advice->setting, values);
  EXPECT_EQ(fits.workers, 16);
  EXPECT_EQ(PrefetchFactor(fits), 2) << "16 workers and 5 batches that wait: 20 on their way";
  values.advice->setting = fits;
  EXPECT_THAT(CheckReport(values), IsEmpty());
}

TEST(LoaderCheck, RowsThatComputeWantNoMoreWorkersThanCores) {
  LoaderValues values = Values();
  EXPECT_EQ(Sensible({41, 80}, values).workers, 2);
  values.last->fetch_off = Fraction{0.9};
  EXPECT_EQ(Sensible({41, 80}, values).workers, 41) << "rows that wait overlap";
  values.last->fetch_off = Fraction{0.02};
  values.last->fetch_queued = Fraction{0.91};
  EXPECT_EQ(Sensible({41, 80}, values).workers, 41) << "rows that wait on crowded cores still wait";
}

TEST(LoaderCheck, WorkersFitIntoMemory) {
  LoaderValues values = Values();
  values.last->fetch_off = Fraction{0.9};
  values.worker_memory = 100_MiB;
  values.memory = 1_GiB;
  EXPECT_EQ(Sensible({41, 80}, values).workers, 10);
}

TEST(LoaderCheck, AdviceDoesNotPromiseLessThanThereIsOrMoreThanTheLoopTakes) {
  LoaderValues values = Values();
  values.last->fetch_off = Fraction{0.9};
  values.advice = AdviceValues{{4, 5}, 18};
  EXPECT_THAT(CheckReport(values), About(Said::kAdvice)) << "19 are measured";
  values.advice->predicted = 60;
  EXPECT_THAT(CheckReport(values), About(Said::kAdvice)) << "it waits 40 %: 32 is the most";
  values.advice->predicted = 30;
  EXPECT_THAT(CheckReport(values), IsEmpty());
  values.advice->setting = values.end;
  EXPECT_THAT(CheckReport(values), About(Said::kAdvice)) << "it is there already";
}

TEST(LoaderCheck, EpochsAddUpToTheRun) {
  LoaderValues values = Values();
  values.epochs = {{.epoch = 0, .batches = 100, .active = 20s, .whole = true},
                   {.epoch = 1, .batches = 100, .active = 20s, .whole = true}};
  EXPECT_THAT(CheckReport(values), About(Said::kEpochs));
  values.active = 40s;
  EXPECT_THAT(CheckReport(values), IsEmpty());
}

TEST(LoaderCheck, EpochsTellWhetherItHelpedRatherThanRates) {
  LoaderValues values = Values();
  EXPECT_TRUE(Helped(values));
  values.epochs = {{.epoch = 0, .batches = 100, .active = 10s, .whole = true},
                   {.epoch = 1, .batches = 100, .active = 12s, .whole = true}};
  EXPECT_FALSE(Helped(values)) << "workers that start in each epoch cost more than they bring";
  values.epochs[1].batches = 40;
  EXPECT_TRUE(Helped(values)) << "an epoch that was broken off says nothing";
}

// Settings changed within its first epoch, and again shortly before its end.
class ShortRun : public testing::Test {
 protected:
  ShortRun() {
    values_.first->rate = 4;
    values_.last->setting.reset();
    values_.epochs = {{.epoch = 0, .batches = 250, .active = 15s, .whole = true, .changed = true},
                      {.epoch = 1, .batches = 250, .active = 14900ms, .whole = true}};
    values_.own_by_costs = 0.2;
  }
  LoaderValues values_ = Values();
};

TEST_F(ShortRun, IsComparedAsAWhole) {
  const LoaderValues held = OnlyWhatHolds(values_);
  EXPECT_FALSE(held.first) << "the last window compares with none";
  EXPECT_TRUE(Helped(held));
  EXPECT_DOUBLE_EQ(OwnSecondsPerBatch(held).value_or(0), 0.2) << "not 0.25: rows or steps take less by now";
}

TEST_F(ShortRun, IsNotComparedWithWhatRowsTakeNoMore) {
  values_.own_by_costs = 0.06;
  EXPECT_FALSE(Helped(OnlyWhatHolds(values_)));
  values_.own_by_costs.reset();
  EXPECT_FALSE(Helped(OnlyWhatHolds(values_))) << "who knows what they take by now";
  values_.epochs.pop_back();
  EXPECT_TRUE(Helped(OnlyWhatHolds(values_))) << "of one epoch the first batches must do";
}

TEST_F(ShortRun, WithAFirstEpochOfTheScriptsOwnIsComparedByEpochs) {
  values_.epochs[0].changed = false;
  EXPECT_FALSE(Helped(OnlyWhatHolds(values_)));
}

TEST_F(ShortRun, WithAFirstWindowThatHasTheStartIsNotCompared) {
  values_.epochs.clear();
  values_.first->from_start = true;
  values_.last->from_start = true;
  EXPECT_FALSE(Helped(OnlyWhatHolds(values_)));
}

TEST(LoaderCheck, WholeEpochsOfTheScriptsOwnSettingTellBetterThanTheFirstOne) {
  LoaderValues values = Values();
  values.epochs = {{.epoch = 0, .batches = 100, .active = 20s, .whole = true},
                   {.epoch = 1, .batches = 100, .active = 10s, .whole = true}};
  values.whole_epochs = {0.098, 0.1};
  EXPECT_FALSE(Helped(values)) << "the first epoch is longer for other reasons";
  values.whole_epochs = {0.15, 0.1};
  EXPECT_TRUE(Helped(values));
  values.epochs[1].active = 21s;
  EXPECT_FALSE(Helped(values)) << "the report names both epochs";
  values.epochs[0].changed = true;
  EXPECT_TRUE(Helped(values)) << "the first one had other settings already";
}

TEST(LoaderCheck, TheFirstEpochsLongerStartIsNoGain) {
  LoaderValues values = Values();
  values.epochs = {{.epoch = 0, .batches = 100, .active = 12s, .whole = true},
                   {.epoch = 1, .batches = 100, .active = 10s, .whole = true}};
  EXPECT_TRUE(Helped(values));
  values.longer_first_start = 1900ms;
  EXPECT_FALSE(Helped(values));
}

TEST(LoaderCheck, ATrialIsNoneOfTheNewestEpochs) {
  LoaderValues values = Values();
  values.epochs = {{.epoch = 0, .batches = 100, .active = 12s, .whole = true},
                   {.epoch = 1, .batches = 100, .active = 10s, .whole = true},
                   {.epoch = 2, .batches = 100, .active = 14s, .whole = true, .trial = true}};
  EXPECT_TRUE(Helped(values));
  values.epochs[1].trial = true;
  EXPECT_FALSE(EpochsOf(values.epochs)) << "there is no other";
}

TEST(LoaderCheck, OneLongEpochAtTheEndIsNotTheNewestEpochs) {
  LoaderValues values = Values();
  values.first.reset();
  values.epochs = {{.epoch = 0, .batches = 100, .active = 2s, .whole = true},
                   {.epoch = 1, .batches = 100, .active = 1s, .whole = true},
                   {.epoch = 2, .batches = 100, .active = 1s, .whole = true},
                   {.epoch = 3, .batches = 100, .active = 2s, .whole = true}};
  EXPECT_TRUE(Helped(values));
}

TEST(LoaderCheck, EpochsThatAreShorterForAWarmCacheAreNoHelp) {
  LoaderValues values = Values();
  values.last->rate = 9.5;
  values.epochs = {{.epoch = 0, .batches = 100, .active = 14s, .whole = true},
                   {.epoch = 1, .batches = 100, .active = 10500ms, .whole = true}};
  EXPECT_FALSE(Helped(values)) << "batches came faster before the change";
  values.last->rate = 10.5;
  EXPECT_TRUE(Helped(values));
}

}  // namespace
}  // namespace sluice::exporters

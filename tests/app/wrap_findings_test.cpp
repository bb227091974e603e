#include "findings/wrap_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

WrapOutcome Ended(int status) {
  WrapOutcome outcome;
  outcome.command = {"python3", "train.py"};
  outcome.wall = 10s;
  outcome.cores = 4;
  outcome.loaders = std::vector<exporters::LoaderReport>();
  outcome.end = wrap::CommandEnd{};
  outcome.end->status = status;
  outcome.end->usage.ru_utime.tv_sec = 12;
  outcome.end->usage.ru_stime.tv_sec = 3;
  outcome.end->usage.ru_maxrss = 2048;
  outcome.end->usage.ru_nvcsw = 1500;
  return outcome;
}

wrap::TreeUse Seen() {
  wrap::TreeUse tree;
  tree.processes = 3;
  tree.most_processes = 2;
  tree.peak_rss = 64_MiB;
  tree.peak_pss = 48_MiB;
  tree.runnable = 1s;
  tree.scheduled = 3s;
  tree.busiest = MainThreadUse{42, "python3", 10s, 6s, 1s};
  return tree;
}

TEST(ReportOf, TellsHowTheCommandEnded) {
  EXPECT_EQ(ReportOf(Ended(3 << 8)).ended.exit_code, 3);
  EXPECT_EQ(ReportOf(Ended(11)).ended.signal, 11);
  EXPECT_FALSE(ReportOf(Ended(11)).ended.core_dumped);
  EXPECT_TRUE(ReportOf(Ended(11 | 0x80)).ended.core_dumped);
  WrapOutcome stranger = Ended(0);
  stranger.end.reset();
  EXPECT_FALSE(ReportOf(stranger).ended.exit_code);
}

TEST(ReportOf, NamesTheTrainersMainThreadRatherThanTheBusiest) {
  WrapOutcome outcome = Ended(0);
  outcome.tree = Seen();
  outcome.tree->main_threads[71] = MainThreadUse{71, "trainer", 10s, 1s, 0s};
  EXPECT_EQ(ReportOf(outcome).main_thread->pid, 42);
  outcome.loaders = {exporters::LoaderReport{.pid = 71}};
  EXPECT_EQ(ReportOf(outcome).main_thread->pid, 71);
}

// Of two cores, all through the run.
wrap::CoresLog Cores(double own, double others) {
  wrap::CoresLog cores;
  for (int i = 0; i <= 20; ++i) {
    cores.Add(100s + i * 1s, FromSeconds(i * own), FromSeconds(i * (own + others)),
              FromSeconds(i * (2 - own - others)));
  }
  return cores;
}

// Between the 4th and the 8th second its main thread queues for a core.
exporters::LoaderReport Queueing() {
  exporters::LoaderReport loader{.program = "train.py: loader (Photos)"};
  exporters::WindowValues window;
  window.from = 104s;
  window.to = 108s;
  window.active = 4s;
  window.batches = 47;
  window.rate = 11.9;
  window.waits = Fraction{0.3};
  window.setting = loader.values.end = {6, 13};
  window.of_loader = true;
  window.fetch_busy = Fraction{0.4};
  window.fetch_off = Fraction{0.1};
  window.fetch_queued = Fraction{0};
  window.trainer_queued = Fraction{0.4};
  loader.values.batches = 1000;
  loader.values.cores = 2;
  loader.values.active = 100s;
  loader.values.last = window;
  loader.values.finding = exporters::Finding::kOtherWork;
  return loader;
}

exporters::Finding FoundWith(const wrap::CoresLog& cores) {
  return Tellable({Queueing()}, cores).at(0).values.finding;
}

TEST(Tellable, NobodyElseIsBlamedForTheQueueBehindTheRunsOwnThreads) {
  EXPECT_EQ(FoundWith(Cores(1.1, 0.85)), exporters::Finding::kOtherWork);
  EXPECT_EQ(FoundWith(Cores(1.6, 0.02)), exporters::Finding::kBursts);
  EXPECT_EQ(FoundWith(Cores(1.94, 0.05)), exporters::Finding::kCores)
      << "other loaders of the run have them too";
}

TEST(Tellable, WhatContradictsItselfIsNotTold) {
  exporters::LoaderReport loader = Queueing();
  loader.values.last->waits = Fraction{1.2};
  const exporters::LoaderValues told = Tellable({loader}, {}).at(0).values;
  EXPECT_FALSE(told.last);
  EXPECT_EQ(told.finding, exporters::Finding::kUnknown);
}

TEST(Tellable, ALoaderThatHandedOutNothingIsNone) {
  exporters::LoaderReport silent;
  EXPECT_THAT(Tellable({silent, Queueing()}, {}), SizeIs(1));
  EXPECT_THAT(Tellable({silent}, {}), IsEmpty());
}

TEST(TotalsOf, TakesTheLargerOfBothBounds) {
  WrapOutcome outcome = Ended(0);
  outcome.tree = Seen();
  outcome.tree->user = 5s;
  EXPECT_EQ(TotalsOf(outcome).user, 12s);
  outcome.tree->user = 50s;
  EXPECT_EQ(TotalsOf(outcome).user, 50s);
}

TEST(TotalsOf, NamesNoMoreCoresThanThereAre) {
  WrapOutcome outcome = Ended(0);
  outcome.cores = 2;
  outcome.wall = 7400ms;  // of 15 s of CPU time
  EXPECT_DOUBLE_EQ(TotalsOf(outcome).mean_cores.value_or(0), 2);
  outcome.wall = 740ms;
  EXPECT_FALSE(TotalsOf(outcome).mean_cores) << "the kernel counts in ticks";
}

TEST(TotalsOf, AddsWhatNobodyWaitedFor) {
  WrapOutcome outcome = Ended(0);
  outcome.tree = Seen();
  outcome.tree->user = outcome.tree->orphan_user = 5s;
  EXPECT_EQ(TotalsOf(outcome).user, 17s);
  EXPECT_EQ(TotalsOf(outcome).system, 3s);
}

}  // namespace
}  // namespace sluice::app

#include "findings/wrap_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "findings/wrap_totals.h"

namespace sluice::app {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

WrapOutcome Ended(int status) {
  WrapOutcome outcome;
  outcome.command = {"python3", "train.py"};
  outcome.wall = 10s;
  outcome.cores = 4;
  outcome.loaders = std::vector<LoaderStory>();
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
  tree.busiest = wrap::MainThreadUse{42, "python3", 10s, 6s, 1s};
  return tree;
}

TEST(WrapReportText, TellsWhatTheKernelAndTheSamplesSay) {
  WrapOutcome outcome = Ended(3 << 8);
  outcome.tree = Seen();
  const std::string text = WrapReportText(outcome);
  EXPECT_THAT(text, HasSubstr("sluice: python3 train.py: exit status 3 after 10.0s\n"));
  EXPECT_THAT(text, HasSubstr("12.0s user, 3.00s system: 1.50 of 4 cores"));
  EXPECT_THAT(text, HasSubstr("25% of the time that threads wanted a core"));
  EXPECT_THAT(text, HasSubstr("60% on-CPU, 10% runnable, 30% off-CPU (python3, pid 42)"));
  EXPECT_THAT(text, HasSubstr("peak RSS 64.0 MiB, peak PSS 48.0 MiB; 3 processes seen, at most 2 at once"));
  EXPECT_LE(std::ranges::count(text, '\n'), 15);
}

TEST(WrapReportText, NamesASignalAndACore) {
  EXPECT_THAT(WrapReportText(Ended(11)), HasSubstr("killed by SIGSEGV after"));
  EXPECT_THAT(WrapReportText(Ended(11 | 0x80)), HasSubstr("killed by SIGSEGV (core dumped) after"));
}

TEST(WrapReportText, WhatWasNotMeasuredIsNot0) {
  WrapOutcome outcome = Ended(0);
  outcome.end.reset();
  const std::string text = WrapReportText(outcome);
  EXPECT_THAT(text, HasSubstr("CPU          not measured"));
  EXPECT_THAT(text, HasSubstr("peak RSS not measured, peak PSS not measured"));
  EXPECT_THAT(text, Not(HasSubstr(" 0 ")));
}

TEST(WrapReportText, ACommandCannotWriteToTheTerminal) {
  WrapOutcome outcome = Ended(0);
  outcome.command = {"sh", "-c", "echo\n\x1b[2J" + std::string(500, 'x')};
  const std::string text = WrapReportText(outcome);
  EXPECT_THAT(text, HasSubstr("sluice: sh -c echo  [2Jxx"));
  EXPECT_LT(text.find('\n'), 120u);
}

TEST(WrapReportText, CutsNoCharacterInTwo) {
  for (std::size_t before = 0; before < 4; ++before) {
    WrapOutcome outcome = Ended(0);
    outcome.command = {std::string(before, 'x')};
    for (int i = 0; i < 40; ++i) outcome.command[0] += "\u00e4";
    EXPECT_THAT(WrapReportText(outcome), HasSubstr("\u00e4...: exit")) << before;
  }
}

TEST(WrapReportText, SaysThatTheAgentWasLate) {
  WrapOutcome outcome = Ended(0);
  outcome.loaders.reset();
  EXPECT_THAT(WrapReportText(outcome), HasSubstr("the agent did not answer in time"));
}

TEST(WrapReportText, TellsOfEachGpu) {
  WrapOutcome outcome = Ended(0);
  outcome.gpus.push_back({"Big GPU", {0.43}, {0.98}, 2_GiB, 8_GiB});
  EXPECT_THAT(WrapReportText(outcome),
              HasSubstr("43% busy, at most 98%; peak memory 2.00 GiB of 8.00 GiB (Big GPU)"));
}

TEST(WrapReportJson, HasNullForWhatIsMissing) {
  const auto json = nlohmann::json::parse(WrapReportJson(Ended(9)));
  EXPECT_EQ(json["ended"]["signal"], 9);
  EXPECT_TRUE(json["ended"]["exit_code"].is_null());
  EXPECT_EQ(json["used"]["user_seconds"], 12.0);
  EXPECT_TRUE(json["used"]["peak_pss_bytes"].is_null());
  EXPECT_TRUE(json["used"]["processes"].is_null());
  EXPECT_TRUE(json["used"]["main_thread"].is_null());
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

#include "sluice/exporters/wrap_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sluice::exporters {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

WrapReport Ended(CommandEnding ended = {.exit_code = 0}) {
  WrapReport report;
  report.command = {"python3", "train.py"};
  report.wall = 10s;
  report.cores = 4;
  report.loaders = std::vector<LoaderReport>();
  report.ended = ended;
  report.used.user = 12s;
  report.used.system = 3s;
  report.used.mean_cores = 1.5;
  return report;
}

TEST(WrapReportText, TellsWhatTheKernelAndTheSamplesSay) {
  WrapReport report = Ended({.exit_code = 3});
  report.seen = ProcessesSeen{.processes = 3, .most_processes = 2, .peak_pss = 48_MiB};
  report.used.runnable = Fraction{0.25};
  report.used.peak_rss = 64_MiB;
  report.main_thread = MainThreadUse{42, "python3", 10s, 6s, 1s};
  const std::string text = WrapReportText(report);
  EXPECT_THAT(text, HasSubstr("sluice: python3 train.py: exit status 3 after 10.0s\n"));
  EXPECT_THAT(text, HasSubstr("12.0s user, 3.00s system: 1.50 of 4 cores"));
  EXPECT_THAT(text, HasSubstr("25% of the time that threads wanted a core"));
  EXPECT_THAT(text, HasSubstr("60% on-CPU, 10% runnable, 30% off-CPU (python3, pid 42)"));
  EXPECT_THAT(text, HasSubstr("peak RSS 64.0 MiB, peak PSS 48.0 MiB; 3 processes seen, at most 2 at once"));
  EXPECT_LE(std::ranges::count(text, '\n'), 15);
}

TEST(WrapReportText, NamesASignalAndACore) {
  EXPECT_THAT(WrapReportText(Ended({.signal = 11})), HasSubstr("killed by SIGSEGV after"));
  EXPECT_THAT(WrapReportText(Ended({.signal = 11, .core_dumped = true})),
              HasSubstr("killed by SIGSEGV (core dumped) after"));
}

TEST(WrapReportText, WhatWasNotMeasuredIsNot0) {
  WrapReport report = Ended({});
  report.used = {};
  const std::string text = WrapReportText(report);
  EXPECT_THAT(text, HasSubstr("CPU          not measured"));
  EXPECT_THAT(text, HasSubstr("peak RSS not measured, peak PSS not measured"));
  EXPECT_THAT(text, Not(HasSubstr(" 0 ")));
}

TEST(WrapReportText, ACommandCannotWriteToTheTerminal) {
  WrapReport report = Ended();
  report.command = {"sh", "-c", "echo\n\x1b[2J" + std::string(500, 'x')};
  const std::string text = WrapReportText(report);
  EXPECT_THAT(text, HasSubstr("sluice: sh -c echo  [2Jxx"));
  EXPECT_LT(text.find('\n'), 120u);
}

TEST(WrapReportText, CutsNoCharacterInTwo) {
  for (std::size_t before = 0; before < 4; ++before) {
    WrapReport report = Ended();
    report.command = {std::string(before, 'x')};
    for (int i = 0; i < 40; ++i) report.command[0] += "\u00e4";
    EXPECT_THAT(WrapReportText(report), HasSubstr("\u00e4...: exit")) << before;
  }
}

TEST(WrapReportText, SaysThatTheAgentWasLate) {
  WrapReport report = Ended();
  report.loaders.reset();
  EXPECT_THAT(WrapReportText(report), HasSubstr("the agent did not answer in time"));
}

TEST(WrapReportText, TellsOfEachGpu) {
  WrapReport report = Ended();
  report.gpus.push_back({"Big GPU", {0.43}, {0.98}, 2_GiB, 8_GiB});
  EXPECT_THAT(WrapReportText(report),
              HasSubstr("43% busy, at most 98%; peak memory 2.00 GiB of 8.00 GiB (Big GPU)"));
}

TEST(WrapReportJson, TellsOfNoCoreDumpWhereTheEndWasNotSeen) {
  EXPECT_TRUE(nlohmann::json::parse(WrapReportJson(Ended({})))["ended"]["core_dumped"].is_null());
  EXPECT_EQ(nlohmann::json::parse(WrapReportJson(Ended()))["ended"]["core_dumped"], false);
}

TEST(WrapReportJson, HasNullForWhatIsMissing) {
  const auto json = nlohmann::json::parse(WrapReportJson(Ended({.signal = 9})));
  EXPECT_EQ(json["ended"]["signal"], 9);
  EXPECT_TRUE(json["ended"]["exit_code"].is_null());
  EXPECT_EQ(json["used"]["user_seconds"], 12.0);
  EXPECT_TRUE(json["used"]["peak_pss_bytes"].is_null());
  EXPECT_TRUE(json["used"]["processes"].is_null());
  EXPECT_TRUE(json["used"]["main_thread"].is_null());
}

}  // namespace
}  // namespace sluice::exporters

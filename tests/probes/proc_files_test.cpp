#include "sluice/probes/proc_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace sluice::probes {
namespace {

constexpr const char* kTail =
    " S 1 2 3 4 5 6 7 8 9 10 111 222 15 16 20 0 1 0 987654 4096 25 18446744073709551615";

TEST(ParseProcStat, IsNotMisledByBlanksAndParenthesesInTheName) {
  for (const char* name : {"(python3)", "(my (odd) name)", "(a) S 1 2)", "()"}) {
    const auto stat = ParseProcStat(std::string("4242 ") + name + kTail);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->state, 'S');
    EXPECT_EQ(stat->utime_ticks, 111u);
    EXPECT_EQ(stat->stime_ticks, 222u);
    EXPECT_EQ(stat->start_ticks, 987654u);
  }
}

TEST(ParseProcStat, RefusesWhatIsCutShort) {
  EXPECT_FALSE(ParseProcStat(""));
  EXPECT_FALSE(ParseProcStat("4242 (python3) S 1 2 3"));
}

TEST(ParseProcStat, WhatNoMachineHasIsTheMostThatOneMight) {
  const auto stat = ParseProcStat(
      "1 (a) S 1 0 0 0 0 0 0 0 -3 0 18446744073709551615 2 0 0 20 0 1 0 18446744073709551615 0 "
      "9223372036854775807");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->major_faults, 0);
  EXPECT_LT(stat->utime_ticks, std::uint64_t{1} << 40);
  EXPECT_LT(stat->resident_pages, std::int64_t{1} << 50);
  EXPECT_EQ(stat->start_ticks, 18446744073709551615u) << "it tells processes apart, nothing adds it up";
}

TEST(ProcessAlive, TellsAReusedPidApart) {
  const auto self = ReadProcStat(getpid());
  ASSERT_TRUE(self);
  EXPECT_TRUE(ProcessAlive(getpid(), self->start_ticks));
  EXPECT_FALSE(ProcessAlive(getpid(), self->start_ticks + 1));
}

TEST(ParseSchedStat, TakesOnCpuAndRunnableTime) {
  const auto stat = ParseSchedStat("123456789 98765 42\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->on_cpu, Nanos(123'456'789));
  EXPECT_EQ(stat->runnable, Nanos(98'765));
}

TEST(ParseSchedStat, AKernelThatDoesNotCountIsMissingAndNotZero) {
  EXPECT_FALSE(ParseSchedStat("0 0 0\n"));
  EXPECT_FALSE(ParseSchedStat(""));
  EXPECT_FALSE(ParseSchedStat("9223372036854775807 1 1\n")) << "nor does one that says what cannot be";
}

TEST(ParseCpuTimes, AddsUpTheCpusThatCount) {
  constexpr std::string_view kText =
      "cpu  9999 9 9 9999 9 9 9 9 9 9\n"
      "cpu0 100 10 20 1000 50 1 2 3 7 0\n"
      "cpu1 500 0 0 0 0 0 0 0 0 0\n"
      "cpu12 1 0 0 5\n"
      "intr 12345 1 2 3\n";
  const auto times = ParseCpuTimes(kText, [](int cpu) { return cpu != 1; });
  ASSERT_TRUE(times);
  EXPECT_EQ(times->busy_ticks, 137u);
  EXPECT_EQ(times->idle_ticks, 1055u);
  EXPECT_FALSE(ParseCpuTimes(kText, [](int) { return false; }));
  EXPECT_FALSE(ParseCpuTimes("cpux\ncpu\n\n", [](int) { return true; }));
}

TEST(CountCpuList, CountsRangesAndSingles) {
  EXPECT_EQ(CountCpuList("0-3,8\n"), 5);
  EXPECT_EQ(CountCpuList("7"), 1);
  for (const char* bad : {"", "\n", "3-1", "a", "1,,2", "-1", "0-99999999"})
    EXPECT_FALSE(CountCpuList(bad)) << bad;
}

TEST(CountCpuList, ManyLongRangesAreNoMachine) {
  std::string list = "0-999999";
  for (int i = 0; i < 3000; ++i) list += ",0-999999";
  EXPECT_FALSE(CountCpuList(list));
}

TEST(FindCount, TellsInItsUnitWhatAMachineMayHave) {
  EXPECT_EQ(FindCount("Pss:   3 kB\n", "Pss", 1024), 3072);
  for (const char* bad : {"Pss: -3 kB\n", "Pss: 9223372036854775807 kB\n", "Pss: x\n", ""})
    EXPECT_FALSE(FindCount(bad, "Pss", 1024)) << bad;
}

TEST(ParseResident, IsTheSecondNumber) {
  EXPECT_EQ(ParseResident("1000 250 30 1 0 100 0\n", 4096), Bytes{250 * 4096});
  for (const char* bad : {"", "1000", "1000 -1", "1000 9223372036854775807"})
    EXPECT_FALSE(ParseResident(bad, 4096)) << bad;
}

TEST(FindNumber, FindsKeysWithAndWithoutColon) {
  const char* text = "MemTotal:  1000 kB\nMemAvailable:     512 kB\nnr_throttled 7\n";
  EXPECT_EQ(FindNumber(text, "MemAvailable"), 512);
  EXPECT_EQ(FindNumber(text, "nr_throttled"), 7);
  EXPECT_FALSE(FindNumber(text, "Mem"));
}

}  // namespace
}  // namespace sluice::probes

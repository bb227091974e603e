#include "doctor/memory_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using testing::HasSubstr;

DoctorCheck Find(const std::vector<DoctorCheck>& checks, const std::string& kind) {
  const auto found = std::ranges::find(checks, kind, &DoctorCheck::kind);
  return found != checks.end() ? *found : DoctorCheck{State::kBad, kind, "(not told)", ""};
}

TEST(HugePageChecks, NeverIsAFaultWhereBatchesAreBig) {
  const probes::HugePages never{.enabled = "never", .defrag = "madvise"};
  EXPECT_EQ(Find(HugePageChecks(never, 1_MiB), "thp_enabled").state, State::kGood);
  const DoctorCheck check = Find(HugePageChecks(never, 38_MiB), "thp_enabled");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("batches of 38.0 MiB"));
  EXPECT_EQ(check.remedy, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
  EXPECT_EQ(Find(HugePageChecks(never, Bytes{0}), "thp_enabled").state, State::kNote)
      << "how big is not known";
  for (const char* enabled : {"always", "madvise"})
    EXPECT_EQ(Find(HugePageChecks({.enabled = enabled}, 38_MiB), "thp_enabled").state, State::kGood);
}

TEST(HugePageChecks, DefragIsAFaultWhereThreadsStalledForIt) {
  probes::HugePages pages{.enabled = "always", .defrag = "always", .stalls = 812};
  const DoctorCheck check = Find(HugePageChecks(pages, Bytes{0}), "thp_defrag");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("812 times"));
  EXPECT_EQ(check.remedy, "echo defer+madvise | sudo tee /sys/kernel/mm/transparent_hugepage/defrag");
  pages.stalls = 0;
  EXPECT_EQ(Find(HugePageChecks(pages, Bytes{0}), "thp_defrag").state, State::kGood);
  pages.stalls.reset();
  EXPECT_THAT(Find(HugePageChecks(pages, Bytes{0}), "thp_defrag").found, HasSubstr("is not told"));
}

TEST(HugePageChecks, PoolsThatNobodyUsesAreGivenBackExceptWhatIsInUse) {
  const probes::HugePages pages{.enabled = "madvise", .pools = {{2_MiB, 512, 500, 20}, {1_GiB, 0, 0, 0}}};
  const DoctorCheck check = Find(HugePageChecks(pages, Bytes{0}), "hugetlb");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("960 MiB set aside and unused"));
  EXPECT_EQ(check.remedy, "echo 32 | sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
  EXPECT_EQ(Find(HugePageChecks({.pools = {{2_MiB, 512, 0, 0}}}, Bytes{0}), "hugetlb").state, State::kGood);
}

TEST(HugePageChecks, WhatAKernelDoesNotHaveIsMissing) {
  for (const char* kind : {"thp_enabled", "thp_defrag", "hugetlb"})
    EXPECT_THAT(Find(HugePageChecks({}, Bytes{0}), kind).found, HasSubstr("not told")) << kind;
}

probes::SwapUse Swap(int swappiness) {
  return {.told = true, .areas = {{"/swapfile", 8_GiB, 2_GiB}}, .swappiness = swappiness, .zswap = false};
}

MeasuredRun RunOf(std::optional<Bytes> swapped) {
  MeasuredRun run{.pid = 100, .program = "train.py"};
  MeasuredProcess process{.pid = 100};
  process.toll.swapped = swapped;
  run.processes.push_back(process);
  return run;
}

TEST(SwapChecks, ARunWhoseMemoryWasMovedOutIsNamed) {
  const auto checks = SwapChecks(Swap(60), {RunOf(1_GiB)});
  EXPECT_EQ(Find(checks, "run_swap").state, State::kNote);
  EXPECT_THAT(Find(checks, "run_swap").found, HasSubstr("1.00 GiB of train.py (100) moved out"));
  EXPECT_EQ(Find(checks, "run_swap").remedy, "sudo swapoff -a && sudo swapon -a");
  EXPECT_EQ(Find(checks, "swappiness").remedy, "echo 10 | sudo tee /proc/sys/vm/swappiness");
  EXPECT_EQ(Find(SwapChecks(Swap(60), {RunOf(1_MiB)}), "run_swap").state, State::kGood);
  EXPECT_EQ(Find(SwapChecks(Swap(60), {RunOf(1_MiB)}), "swappiness").state, State::kGood);
  EXPECT_EQ(Find(SwapChecks(Swap(100), {}), "swappiness").state, State::kNote);
}

TEST(SwapChecks, NoSwapIsFineAndNotToldIsNot) {
  EXPECT_EQ(Find(SwapChecks({.told = true}, {RunOf(1_GiB)}), "swap").state, State::kGood);
  EXPECT_EQ(Find(SwapChecks({}, {}), "swap").state, State::kNote);
  EXPECT_THAT(Find(SwapChecks(Swap(60), {RunOf(std::nullopt)}), "run_swap").found, HasSubstr("not told"));
}

TEST(LargestItem, IsTheLargestMeanOfAnOp) {
  MeasuredPipeline pipeline{.pid = 100};
  EXPECT_EQ(LargestItem({pipeline}), Bytes{0});
  pipeline.seen.ops.resize(2);
  pipeline.seen.ops[0].items = 100;
  pipeline.seen.ops[0].bytes = 100_MiB;
  pipeline.seen.ops[1].items = 2;
  pipeline.seen.ops[1].bytes = 80_MiB;
  EXPECT_EQ(LargestItem({pipeline}), 40_MiB);
}

}  // namespace
}  // namespace sluice::app

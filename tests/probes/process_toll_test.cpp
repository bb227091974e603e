#include "sluice/probes/process_toll.h"

#include <gtest/gtest.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

constexpr const char* kStat =
    "100 (python3) S 1 100 100 0 -1 4194304 4000 0 3 0 800 200 0 0 20 0 4 0 5000 1000000 900 "
    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n";
constexpr const char* kLimits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max core file size        0                    unlimited            bytes     \n"
    "Max open files            1024                 524288               files     \n";

std::string Status(int asked, int forced) {
  return "Name:\tpython3\nVmSwap:\t    2048 kB\nThreads:\t2\nvoluntary_ctxt_switches:\t" +
         std::to_string(asked) + "\nnonvoluntary_ctxt_switches:\t" + std::to_string(forced) + "\n";
}

TEST(ProcessToll, AddsUpTheSwitchesOfAllThreads) {
  CannedTree tree;
  tree.Write("/proc/100/stat", kStat);
  tree.Write("/proc/100/status", Status(10, 4));
  tree.Write("/proc/100/task/100/status", Status(10, 4));
  tree.Write("/proc/100/task/101/status", Status(7, 90));
  tree.Write("/proc/100/limits", kLimits);
  tree.Write("/proc/100/fd/0", "");
  tree.Write("/proc/100/fd/1", "");
  const auto toll = ReadProcessToll(100, tree.root());
  ASSERT_TRUE(toll);
  EXPECT_EQ(toll->name, "python3");
  EXPECT_EQ(toll->user, std::chrono::seconds(8));
  EXPECT_EQ(toll->system, std::chrono::seconds(2));
  EXPECT_EQ(toll->switches->asked, 17);
  EXPECT_EQ(toll->switches->forced, 94);
  EXPECT_EQ(toll->swapped, 2_MiB);
  EXPECT_EQ(toll->files, 2);
  EXPECT_EQ(toll->file_limit, 1024);
}

TEST(ProcessToll, WhatIsHiddenIsMissing) {
  CannedTree tree;
  EXPECT_FALSE(ReadProcessToll(100, tree.root()));
  tree.Write("/proc/100/stat", kStat);
  const auto toll = ReadProcessToll(100, tree.root());
  ASSERT_TRUE(toll);
  EXPECT_FALSE(toll->switches || toll->swapped || toll->files || toll->file_limit);
}

TEST(ParseFileLimit, UnlimitedIsNoNumber) {
  EXPECT_EQ(ParseFileLimit("Max open files            unlimited            unlimited            files\n"),
            std::nullopt);
  EXPECT_EQ(ParseFileLimit(""), std::nullopt);
}

}  // namespace
}  // namespace sluice::probes

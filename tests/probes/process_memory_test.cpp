#include "sluice/probes/process_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace sluice::probes {
namespace {

constexpr const char* kText =
    "55ef4697c000-7fffce0c7000 ---p 00000000 00:00 0 [rollup]\n"
    "Rss:                1672 kB\n"
    "Pss:                 214 kB\n"
    "Pss_Dirty:           112 kB\n"
    "Shared_Clean:       1520 kB\n"
    "Private_Clean:        40 kB\n"
    "Private_Dirty:       112 kB\n";

TEST(ProcessMemory, IsReadFromTheRollup) {
  const auto memory = ParseSmapsRollup(kText);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->proportional, Bytes{214 * 1024});
  EXPECT_EQ(memory->own, Bytes{152 * 1024});
}

TEST(ProcessMemory, WhatIsMissingIsNotZero) {
  EXPECT_FALSE(ParseSmapsRollup(""));
  EXPECT_FALSE(ParseSmapsRollup("Pss: 3 kB\n"));
  EXPECT_FALSE(ReadProcessMemory(1, "/nowhere"));
}

TEST(ProcessMemory, ThisProcessHasSome) {
  const auto memory = ReadProcessMemory(getpid());
  if (!memory) GTEST_SKIP() << "this kernel has no smaps_rollup";
  EXPECT_GT(memory->proportional.count, 0);
}

TEST(ProcessMemory, NumbersThatNoMachineHasAreMissing) {
  for (const char* absurd : {"9223372036854775807", "-4"})
    EXPECT_FALSE(ParseSmapsRollup(std::string("Private_Clean: 1 kB\nPrivate_Dirty: 1 kB\nPss: ") + absurd));
}

}  // namespace
}  // namespace sluice::probes

#include "sluice/probes/psi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

constexpr const char* kText =
    "some avg10=2.61 avg60=1.16 avg300=0.78 total=11179231\n"
    "full avg10=0.50 avg60=0.00 avg300=0.00 total=7\n";

TEST(Pressure, SharesAreFractionsAndTotalsTimes) {
  const auto pressure = ParsePressure(kText);
  ASSERT_TRUE(pressure);
  EXPECT_DOUBLE_EQ(pressure->some.avg10.value, 0.0261);
  EXPECT_EQ(pressure->some.total, std::chrono::microseconds(11'179'231));
  ASSERT_TRUE(pressure->full);
  EXPECT_DOUBLE_EQ(pressure->full->avg10.value, 0.005);
}

TEST(Pressure, AnOldKernelHasNoFullLineForTheCpu) {
  const auto pressure = ParsePressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  ASSERT_TRUE(pressure);
  EXPECT_FALSE(pressure->full);
}

TEST(Pressure, RefusesOtherText) {
  for (const char* text :
       {"", "some", "some avg10=x avg60=0 avg300=0 total=0", "some avg10=-1 avg60=0 avg300=0 total=0",
        "some avg60=0 avg10=0 avg300=0 total=0", "some avg10=0 avg60=0 avg300=0 total=1e300"}) {
    EXPECT_FALSE(ParsePressure(text)) << text;
  }
}

TEST(Pressure, ReadsTheMachineAndTheGroup) {
  CannedTree tree;
  tree.Write("/proc/pressure/io", kText);
  tree.Write("/proc/42/cgroup", "0::/job\n");
  tree.Write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.Write("/sys/fs/cgroup/job/memory.pressure", kText);
  EXPECT_TRUE(ReadPressure(Resource::kIo, tree.root()));
  EXPECT_TRUE(ReadGroupPressure(Resource::kMemory, 42, tree.root()));
}

TEST(Pressure, TimesAreTheGroupsOwnOrElseTheMachines) {
  CannedTree tree;
  tree.Write("/proc/pressure/io", kText);
  EXPECT_EQ(ReadPressureTimes(42, tree.root()).origin, "/proc/pressure") << "v1 groups have none";
  tree.Write("/proc/42/cgroup", "0::/job\n");
  tree.Write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.Write("/sys/fs/cgroup/job/memory.pressure", kText);
  const PressureTimes times = ReadPressureTimes(42, tree.root());
  EXPECT_EQ(times.origin, "cgroup /job");
  EXPECT_FALSE(times.io) << "not of another origin";
  ASSERT_TRUE(times.memory && times.memory->full);
  EXPECT_EQ(times.memory->some, ParsePressure(kText)->some.total);
  EXPECT_EQ(times.memory->full, ParsePressure(kText)->full->total);
}

TEST(Pressure, WhereNobodyCountsThereAreNoTimes) {
  const CannedTree tree;
  EXPECT_TRUE(ReadPressureTimes(0, tree.root()).origin.empty());
}

TEST(Pressure, WhereItIsMissingTheErrorNamesTheFile) {
  const CannedTree tree;
  const auto pressure = ReadPressure(Resource::kCpu, tree.root());
  ASSERT_FALSE(pressure);
  EXPECT_THAT(pressure.error().message, testing::HasSubstr("/proc/pressure/cpu"));
  EXPECT_FALSE(ReadGroupPressure(Resource::kCpu, 0, tree.root()));
}

}  // namespace
}  // namespace sluice::probes

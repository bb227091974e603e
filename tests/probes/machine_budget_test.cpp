#include "sluice/probes/machine_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::SizeIs;

class MachineBudgetTest : public testing::Test {
 protected:
  MachineBudgetTest() {
    tree_.Write("/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n");
    tree_.Write("/proc/meminfo", "MemTotal: 33554432 kB\nMemAvailable: 16777216 kB\n");
  }
  void UseV2() {
    tree_.Write("/proc/self/cgroup", "0::/slice/job\n");
    tree_.Write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  }
  void UseV1() {
    tree_.Write("/proc/self/cgroup", "4:memory:/job\n1:cpu,cpuacct:/job\n0::/\n");
    tree_.Write("/proc/self/mountinfo",
                "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                "35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n"
                "41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n");
  }
  MachineBudget Read() { return ReadMachineBudget(0, tree_.root()); }

  CannedTree tree_;
};

TEST_F(MachineBudgetTest, WithoutGroupsTheAffinityMaskAndTheMachinesMemoryCount) {
  const auto budget = Read();
  EXPECT_EQ(budget.affinity_cpus, 8);
  EXPECT_EQ(budget.cores, 8);
  EXPECT_FALSE(budget.quota_cores);
  EXPECT_EQ(budget.memory_available, 16_GiB);
  EXPECT_FALSE(budget.memory_limit);
  EXPECT_FALSE(budget.throttled);
}

TEST_F(MachineBudgetTest, TheTightestQuotaOfTheWholePathCounts) {
  UseV2();
  tree_.Write("/sys/fs/cgroup/slice/job/cpu.max", "max 100000\n");
  tree_.Write("/sys/fs/cgroup/slice/cpu.max", "250000 100000\n");
  tree_.Write("/sys/fs/cgroup/slice/cpu.stat", "nr_throttled 4\nthrottled_usec 2000\n");
  tree_.Write("/sys/fs/cgroup/slice/job/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
  const auto budget = Read();
  EXPECT_EQ(budget.quota_cores, 2.5);
  EXPECT_EQ(budget.cores, 2.5);
  EXPECT_EQ(budget.throttled, std::chrono::milliseconds(2));
}

TEST_F(MachineBudgetTest, AWideQuotaDoesNotAddCores) {
  UseV2();
  tree_.Write("/sys/fs/cgroup/slice/cpu.max", "6400000 100000\n");
  EXPECT_EQ(Read().cores, 8);
}

TEST_F(MachineBudgetTest, MemoryLeftCountsFilePagesAsFree) {
  UseV2();
  tree_.Write("/sys/fs/cgroup/slice/job/memory.max", "4294967296\n");
  tree_.Write("/sys/fs/cgroup/slice/job/memory.high", "2147483648\n");
  tree_.Write("/sys/fs/cgroup/slice/job/memory.current", "2147483648\n");
  tree_.Write("/sys/fs/cgroup/slice/job/memory.stat", "inactive_file 1073741824\nactive_file 0\n");
  const auto budget = Read();
  EXPECT_EQ(budget.memory_limit, 2_GiB);
  EXPECT_EQ(budget.memory_available, 1_GiB);
}

TEST_F(MachineBudgetTest, V1FilesOfTheControllersOwnHierarchiesAreRead) {
  UseV1();
  tree_.Write("/cg/cpu/job/cpu.cfs_quota_us", "50000\n");
  tree_.Write("/cg/cpu/job/cpu.cfs_period_us", "100000\n");
  tree_.Write("/cg/cpu/cpu.cfs_quota_us", "-1\n");
  tree_.Write("/cg/cpu/cpu.cfs_period_us", "100000\n");
  tree_.Write("/cg/cpu/job/cpu.stat", "nr_throttled 4\nthrottled_time 77\n");
  tree_.Write("/cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
  tree_.Write("/cg/memory/job/memory.limit_in_bytes", "3221225472\n");
  tree_.Write("/cg/memory/job/memory.usage_in_bytes", "1073741824\n");
  const auto budget = Read();
  EXPECT_EQ(budget.cores, 0.5);
  EXPECT_EQ(budget.throttled, Nanos(77));
  EXPECT_EQ(budget.memory_limit, 3_GiB);
  EXPECT_EQ(budget.memory_available, 2_GiB);
}

TEST_F(MachineBudgetTest, AnEmptyFileSystemStillGivesACore) {
  const CannedTree empty;
  const auto budget = ReadMachineBudget(1, empty.root());
  EXPECT_GE(budget.cores, 1);
  EXPECT_EQ(budget.memory_available, Bytes{0});
}

std::vector<std::string> Origins(const std::vector<CoreBound>& bounds) {
  std::vector<std::string> origins;
  origins.reserve(bounds.size());
  for (const CoreBound& bound : bounds) origins.push_back(bound.origin);
  return origins;
}

TEST_F(MachineBudgetTest, EachBoundSaysWhereItIsWrittenTheTightestFirst) {
  UseV2();
  tree_.Write("/sys/devices/system/cpu/online", "0-15\n");
  tree_.Write("/sys/fs/cgroup/cpuset.cpus.effective", "0-15\n");
  tree_.Write("/sys/fs/cgroup/slice/cpuset.cpus.effective", "0-3,8-11\n");
  tree_.Write("/sys/fs/cgroup/slice/job/cpuset.cpus.effective", "0-3,8-11\n");
  tree_.Write("/sys/fs/cgroup/slice/job/cpu.max", "max 100000\n");
  tree_.Write("/sys/fs/cgroup/slice/cpu.max", "250000 100000\n");
  EXPECT_THAT(Origins(Read().limits.cores), ElementsAre("cgroup /slice: cpu.max 250000 100000",
                                                        "cgroup /slice: cpuset.cpus.effective names 8 CPUs",
                                                        "/proc/self/status: Cpus_allowed_list names 8 CPUs",
                                                        "/sys/devices/system/cpu/online: 16 CPUs"));
  EXPECT_EQ(Read().limits.cpus, 8);
}

TEST_F(MachineBudgetTest, ACpusetThatTheMaskDoesNotShowYetCounts) {
  UseV2();
  tree_.Write("/sys/fs/cgroup/slice/job/cpuset.cpus.effective", "2-4\n");
  EXPECT_EQ(Read().cores, 3);
  tree_.Write("/sys/fs/cgroup/slice/job/cpuset.cpus.effective", "\n");
  EXPECT_EQ(Read().cores, 8) << "an empty one is none";
}

// Docker on a host with v1 groups and no namespace for them.
TEST_F(MachineBudgetTest, AV1ContainerSeesTheGroupsThatAreMountedInIt) {
  tree_.Write("/proc/self/cgroup", "7:cpuset:/docker/abc\n4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n");
  tree_.Write("/proc/self/mountinfo",
              "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
              "33 31 0:30 /docker/abc /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n"
              "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  tree_.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  tree_.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  tree_.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 7\nnr_throttled 5\nthrottled_time 900\n");
  tree_.Write("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0-5\n");
  tree_.Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  const MachineLimits limits = Read().limits;
  EXPECT_THAT(Origins(limits.cores),
              ElementsAre("cgroup /docker/abc: cpu.cfs_quota_us 400000, cpu.cfs_period_us 100000",
                          "cgroup /docker/abc: cpuset.effective_cpus names 6 CPUs",
                          "/proc/self/status: Cpus_allowed_list names 8 CPUs"));
  ASSERT_EQ(limits.quotas.size(), 1);
  EXPECT_EQ(limits.quotas[0].group, "cgroup /docker/abc");
  ASSERT_TRUE(limits.quotas[0].use);
  EXPECT_EQ(limits.quotas[0].use->throttled_periods, 5);
  EXPECT_EQ(limits.memory.back().origin, "cgroup /docker/abc: memory.limit_in_bytes 1073741824");
  EXPECT_FALSE(limits.memory.back().left) << "it does not say what is used";
}

// A pod in a group namespace of its own: nothing above it is seen.
TEST_F(MachineBudgetTest, APodThatSeesItselfAsTheTopReadsItsOwnFiles) {
  tree_.Write("/proc/self/cgroup", "0::/\n");
  tree_.Write("/proc/self/mountinfo",
              "1203 1202 0:27 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n");
  tree_.Write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  tree_.Write("/sys/fs/cgroup/cpu.stat", "usage_usec 9\nnr_periods 20\nnr_throttled 18\nthrottled_usec 3\n");
  tree_.Write("/sys/fs/cgroup/memory.max", "8589934592\n");
  tree_.Write("/sys/fs/cgroup/memory.high", "max\n");
  tree_.Write("/sys/fs/cgroup/memory.current", "1073741824\n");
  const MachineBudget budget = Read();
  EXPECT_EQ(budget.limits.cores.front().origin, "cgroup /: cpu.max 200000 100000");
  EXPECT_EQ(budget.limits.memory.front().origin, "cgroup /: memory.max 8589934592");
  EXPECT_EQ(budget.limits.memory.front().left, 7_GiB);
  EXPECT_EQ(budget.memory_available, 7_GiB);
}

TEST_F(MachineBudgetTest, EveryLevelWithAQuotaTellsWhatItDid) {
  UseV2();
  for (const char* level : {"/sys/fs/cgroup/slice", "/sys/fs/cgroup/slice/job"}) {
    tree_.Write(std::string(level) + "/cpu.max", "300000 100000\n");
    tree_.Write(std::string(level) + "/cpu.stat", "nr_periods 20\nnr_throttled 18\nthrottled_usec 3\n");
  }
  const auto quotas = Read().limits.quotas;
  ASSERT_EQ(quotas.size(), 2);
  EXPECT_EQ(quotas[0].group, "cgroup /slice/job") << "of equal ones its own";
  EXPECT_EQ(quotas[1].group, "cgroup /slice");
}

TEST_F(MachineBudgetTest, NumbersThatNoMachineHasBoundNothing) {
  UseV2();
  tree_.Write("/sys/devices/system/cpu/online", "0-99999999999\n");
  tree_.Write("/sys/fs/cgroup/slice/job/cpu.max", "1 100000\n");
  tree_.Write("/sys/fs/cgroup/slice/job/cpuset.cpus.effective", "0-4294967295\n");
  tree_.Write("/sys/fs/cgroup/slice/job/memory.max", "-1\n");
  const MachineBudget budget = Read();
  EXPECT_THAT(Origins(budget.limits.cores), ElementsAre("/proc/self/status: Cpus_allowed_list names 8 CPUs"));
  EXPECT_THAT(budget.limits.memory, SizeIs(1));
}

TEST_F(MachineBudgetTest, WhatALauncherSaysIsAHintAndBoundsNothing) {
  tree_.Write("/proc/self/environ", "A=1\0SLURM_CPUS_PER_TASK=2\0"s);
  const MachineBudget budget = Read();
  EXPECT_EQ(budget.cores, 8);
  ASSERT_EQ(budget.limits.hints.size(), 1);
  EXPECT_EQ(budget.limits.hints[0].origin, "SLURM_CPUS_PER_TASK=2");
}

TEST_F(MachineBudgetTest, StealIsWhatTheHypervisorTook) {
  EXPECT_FALSE(Read().limits.steal);
  tree_.Write("/proc/stat",
              "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 0 1 300 100 0 0 30 0 0\ncpu1 1 0 1 300 0 0 0 12 0 0\n");
  EXPECT_EQ(Read().limits.steal, FromTicks(42));
}

TEST(MachineBudgetHere, FindsThisMachine) {
  const auto budget = ReadMachineBudget(0);
  EXPECT_GE(budget.affinity_cpus, 1);
  EXPECT_LE(budget.affinity_cpus, sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GT(budget.cores, 0);
  EXPECT_GT(budget.memory_available.count, 0);
  EXPECT_EQ(budget.limits.cores.front().cores, budget.cores);
  EXPECT_TRUE(budget.limits.shared_memory);
  EXPECT_EQ(ReadMachineBudget(getpid()).affinity_cpus, budget.affinity_cpus);
}

}  // namespace
}  // namespace sluice::probes

#include "sluice/probes/machine_budget.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

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

TEST(MachineBudgetHere, FindsThisMachine) {
  const auto budget = ReadMachineBudget(0);
  EXPECT_GE(budget.affinity_cpus, 1);
  EXPECT_LE(budget.affinity_cpus, sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GT(budget.cores, 0);
  EXPECT_GT(budget.memory_available.count, 0);
  EXPECT_EQ(ReadMachineBudget(getpid()).affinity_cpus, budget.affinity_cpus);
}

}  // namespace
}  // namespace sluice::probes

#include "sluice/probes/process_places.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "probes/canned_tree.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string Stat(int pid, const std::string& name, int parent, int cpu) {
  return fmt::format(
      "{} ({}) S {} 1 1 0 -1 4194304 1 0 0 0 5 6 0 0 20 0 1 0 777 1000 50 18446744073709551615 1 1 0 0 0 0 0 "
      "0 0 0 "
      "0 0 17 {} 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
      pid, name, parent, cpu);
}

void WriteProcess(CannedTree& tree, int pid, int parent, const std::string& mask, int cpu) {
  const std::string folder = fmt::format("/proc/{}", pid);
  tree.Write(folder + "/stat", Stat(pid, "python3", parent, cpu));
  tree.Write(fmt::format("{}/task/{}/stat", folder, pid), Stat(pid, "python3", parent, cpu));
  tree.Write(fmt::format("{}/task/{}/status", folder, pid),
             fmt::format("Name:\tpython3\nCpus_allowed:\tff\nCpus_allowed_list:\t{}\n", mask));
  tree.Write(fmt::format("{}/task/{}/schedstat", folder, pid), "5000 10 3\n");
}

TEST(ProcessPlaces, TheLastCpuIsFoundBehindANameOfAnyBytes) {
  EXPECT_EQ(ParseLastCpu(Stat(7, "a) S 1 (b", 1, 93)), 93);
  EXPECT_EQ(ParseLastCpu("7 (short) S 1 1"), -1);
  EXPECT_EQ(ParseLastCpu(""), -1);
  EXPECT_EQ(ParseLastCpu(Stat(7, "x", 1, 70000)), -1);
}

TEST(ProcessPlaces, OnlyVariablesThatPinAreTold) {
  using namespace std::string_view_literals;
  constexpr auto kEnviron = "PATH=/bin\0OMP_PROC_BIND=true\0OMP_NUM_THREADS=1\0GOMP_CPU_AFFINITY=0\0"sv;
  EXPECT_THAT(ParsePinnedBy(kEnviron), ElementsAre("OMP_PROC_BIND=true", "GOMP_CPU_AFFINITY=0"));
  EXPECT_THAT(ParsePinnedBy(""), IsEmpty());
}

TEST(ProcessPlaces, AFamilyIsTheProcessAndAllThatDescendFromIt) {
  CannedTree tree;
  WriteProcess(tree, 10, 1, "0-7", 3);
  WriteProcess(tree, 11, 10, "0", 0);
  WriteProcess(tree, 12, 11, "4-5", 4);
  WriteProcess(tree, 20, 1, "0-7", 1);
  const auto family = ReadFamilyPlaces(10, tree.root());
  ASSERT_THAT(family, SizeIs(3));
  EXPECT_EQ(family[1].pid, 11);
  EXPECT_EQ(family[1].parent, 10);
  EXPECT_EQ(CpuListText(family[1].threads[0].may_use), "0");
  EXPECT_EQ(CpuListText(family[2].threads[0].may_use), "4-5");
  EXPECT_EQ(family[2].threads[0].last_cpu, 4);
  EXPECT_EQ(family[2].threads[0].on_cpu, Nanos(5000));
  EXPECT_TRUE(family[0].allowed.empty());
  EXPECT_THAT(ReadFamilyPlaces(99, tree.root()), IsEmpty());
}

TEST(ProcessPlaces, TheGroupOfAProcessSaysWhatItMayUse) {
  CannedTree tree;
  WriteProcess(tree, 10, 1, "2", 2);
  tree.Write("/proc/10/cgroup", "0::/pod/box\n");
  tree.Write("/proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.Write("/sys/fs/cgroup/pod/box/cpuset.cpus.effective", "\n");
  tree.Write("/sys/fs/cgroup/pod/cpuset.cpus.effective", "2-5\n");
  EXPECT_EQ(CpuListText(ReadProcessPlace(10, tree.root())->allowed), "2-5");
}

TEST(ProcessPlaces, OfThisProcessItIsWhatTheKernelSays) {
  const auto here = ReadProcessPlace(getpid());
  ASSERT_TRUE(here);
  EXPECT_EQ(here->threads[0].tid, getpid());
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
  EXPECT_EQ(here->threads[0].may_use.Count(), CPU_COUNT(&mask));
  EXPECT_TRUE(here->threads[0].may_use.Has(here->threads[0].last_cpu));
}

}  // namespace
}  // namespace sluice::probes

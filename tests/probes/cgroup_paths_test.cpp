#include "machine/cgroup_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::probes {
namespace {

using testing::ElementsAre;

constexpr const char* kHybridCgroup =
    "9:name=systemd:/\n4:memory:/jobs/one\n2:cpuacct:/\n1:cpu,cpuacct:/\n0::/unit\n";
constexpr const char* kHybridMounts =
    "23 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 master:3 - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

CgroupFolders Find(const char* cgroup, const char* mounts, const char* controller) {
  return FindCgroupFolders(ParseCgroupMemberships(cgroup), ParseCgroupMounts(mounts), controller);
}

TEST(CgroupFolders, GoFromTheProcessesOwnGroupUpToTheTop) {
  const auto found =
      Find("0::/user.slice/job/worker\n", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "cpu");
  EXPECT_TRUE(found.v2);
  EXPECT_THAT(found.folders,
              ElementsAre("/sys/fs/cgroup/user.slice/job/worker", "/sys/fs/cgroup/user.slice/job",
                          "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"));
}

TEST(CgroupFolders, OnAHybridMachineTheControllersOwnHierarchyCounts) {
  const auto memory = Find(kHybridCgroup, kHybridMounts, "memory");
  EXPECT_FALSE(memory.v2);
  EXPECT_THAT(memory.folders, ElementsAre("/sys/fs/cgroup/memory/jobs/one", "/sys/fs/cgroup/memory/jobs",
                                          "/sys/fs/cgroup/memory"));
  EXPECT_THAT(Find(kHybridCgroup, kHybridMounts, "cpu").folders, ElementsAre("/sys/fs/cgroup/cpu"));
  EXPECT_TRUE(Find(kHybridCgroup, kHybridMounts, "io").v2);
}

TEST(CgroupFolders, InAContainerThePathBelowTheMountsRootCounts) {
  const char* mounts = "40 20 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
  EXPECT_THAT(Find("0::/docker/abc/x\n", mounts, "cpu").folders,
              ElementsAre("/sys/fs/cgroup/x", "/sys/fs/cgroup"));
  EXPECT_THAT(Find("0::/docker/abcd\n", mounts, "cpu").folders, ElementsAre("/sys/fs/cgroup"));
  EXPECT_THAT(Find("0::/../other\n", mounts, "cpu").folders, ElementsAre("/sys/fs/cgroup"));
}

TEST(CgroupFolders, HaveTheNamesThatTheProcessesOwnGroupHas) {
  const char* mounts = "40 20 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
  EXPECT_THAT(Find("0::/docker/abc/x\n", mounts, "cpu").names, ElementsAre("/docker/abc/x", "/docker/abc"));
  EXPECT_THAT(Find(kHybridCgroup, kHybridMounts, "memory").names, ElementsAre("/jobs/one", "/jobs", "/"));
  EXPECT_THAT(Find("0::/a\x1b[2J\xc3\n", "30 20 0:26 / /cg rw - cgroup2 cgroup2 rw\n", "cpu").names,
              ElementsAre("/a?[2J?", "/"))
      << "nothing that a terminal obeys";
}

TEST(CgroupFolders, BlanksInAMountPointAreReadBack) {
  EXPECT_THAT(Find("0::/\n", "1 2 0:26 / /my\\040groups rw - cgroup2 x rw\n", "cpu").folders,
              ElementsAre("/my groups"));
}

TEST(CgroupFolders, WithoutAMountThereIsNoLimitToFind) {
  EXPECT_TRUE(Find(kHybridCgroup, "", "cpu").folders.empty());
  EXPECT_TRUE(Find("", kHybridMounts, "cpu").folders.empty());
  EXPECT_TRUE(Find("garbage\n:\n::", "- - -\n\n", "cpu").folders.empty());
}

}  // namespace
}  // namespace sluice::probes

#include "sluice/probes/numa_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string Numastat(int local, int other) {
  return "numa_hit " + std::to_string(local + other) +
         "\nnuma_miss 7\nnuma_foreign 0\ninterleave_hit 1132\nlocal_node " + std::to_string(local) +
         "\nother_node " + std::to_string(other) + "\n";
}

TEST(Numastat, IsReadNodeByNode) {
  CannedTree tree;
  tree.Write("/sys/devices/system/node/node1/numastat", Numastat(20, 5));
  tree.Write("/sys/devices/system/node/node0/numastat", Numastat(100, 1));
  tree.Write("/sys/devices/system/node/node7/numastat", "numa_hit x\n");
  tree.Write("/sys/devices/system/node/nodes/numastat", Numastat(1, 1));
  const auto nodes = ReadNumastat(tree.root());
  ASSERT_EQ(nodes.size(), 2);
  EXPECT_EQ(nodes[0].node, 0);
  EXPECT_EQ(nodes[0].local, 100);
  EXPECT_EQ(nodes[1].other, 5);
  EXPECT_EQ(nodes[1].miss, 7);
}

TEST(Numastat, IsMissingWhereTheKernelTellsNothing) {
  const CannedTree tree;
  EXPECT_THAT(ReadNumastat(tree.root()), IsEmpty());
  EXPECT_FALSE(ParseNumastat("local_node 1\nother_node -3\nnuma_miss 0\n"));
}

TEST(Numastat, BetweenTwoLooksIsADifference) {
  const std::vector<NodeCounts> from{{0, 10, 1, 0}}, to{{0, 110, 21, 0}};
  const auto between = CountsBetween(from, to);
  ASSERT_EQ(between.size(), 1);
  EXPECT_EQ(between[0].local, 100);
  EXPECT_EQ(between[0].other, 20);
  EXPECT_THAT(CountsBetween(to, from), IsEmpty()) << "counters that fall have begun anew";
  EXPECT_THAT(CountsBetween({}, to), IsEmpty());
}

TEST(NumaMaps, AddsUpPagesByNodeInTheirSize) {
  const auto pages = ParseNumaMaps(
      "55d4e1a00000 default file=/usr/bin/python3.11 mapped=13 mapmax=4 N0=9 N1=4 kernelpagesize_kB=4\n"
      "7f2c00000000 default anon=512 dirty=512 N1=512 kernelpagesize_kB=4\n"
      "7f2d00000000 bind:0 huge anon=3 dirty=3 N0=3 kernelpagesize_kB=2048\n"
      "7f2e00000000 default\n"
      "7f2f00000000 default anon=100 N0=100 kernelpagesize_kB=20");
  EXPECT_THAT(pages, ElementsAre(Pair(0, 36_KiB + 6_MiB), Pair(1, 16_KiB + 2_MiB)));
}

TEST(NumaMaps, NonsenseIsNoMemory) {
  EXPECT_THAT(
      ParseNumaMaps("N0=-1 kernelpagesize_kB=4\nN99999=1 kernelpagesize_kB=4\nN0=1 kernelpagesize_kB=0\n"
                    "N0=999999999999999999 kernelpagesize_kB=4\nNx=1 N=2 kernelpagesize_kB=4\n"),
      IsEmpty());
}

TEST(NumaSettings, AreMissingWhereTheKernelHasNone) {
  CannedTree tree;
  EXPECT_FALSE(ReadNumaSettings(tree.root()).balancing);
  tree.Write("/proc/sys/kernel/numa_balancing", "1\n");
  tree.Write("/proc/sys/vm/zone_reclaim_mode", "no\n");
  EXPECT_EQ(ReadNumaSettings(tree.root()).balancing, 1);
  EXPECT_FALSE(ReadNumaSettings(tree.root()).zone_reclaim);
}

}  // namespace
}  // namespace sluice::probes

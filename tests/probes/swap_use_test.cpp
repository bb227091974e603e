#include "sluice/probes/swap_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

using testing::IsEmpty;

TEST(SwapUse, IsReadAreaByArea) {
  CannedTree tree;
  tree.Write("/proc/swaps",
             "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
             "/dev/sda3                               partition\t8388604\t\t1024\t\t-2\n"
             "/swapfile                               file\t\t2097148\t\t0\t\t-3\n");
  tree.Write("/proc/sys/vm/swappiness", "60\n");
  tree.Write("/sys/module/zswap/parameters/enabled", "Y\n");
  const SwapUse swap = ReadSwapUse(tree.root());
  EXPECT_TRUE(swap.told);
  ASSERT_EQ(swap.areas.size(), 2);
  EXPECT_EQ(swap.areas[0].name, "/dev/sda3");
  EXPECT_EQ(swap.areas[0].used, 1_MiB);
  EXPECT_EQ(swap.swappiness, 60);
  EXPECT_EQ(swap.zswap, true);
}

TEST(SwapUse, NoSwapIsSomethingElseThanNotTold) {
  CannedTree tree;
  EXPECT_FALSE(ReadSwapUse(tree.root()).told);
  EXPECT_EQ(ReadSwapUse(tree.root()).zswap, std::nullopt);
  tree.Write("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
  EXPECT_TRUE(ReadSwapUse(tree.root()).told);
  EXPECT_THAT(ReadSwapUse(tree.root()).areas, IsEmpty());
}

}  // namespace
}  // namespace sluice::probes

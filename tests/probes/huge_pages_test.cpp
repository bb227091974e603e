#include "sluice/probes/huge_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

using testing::IsEmpty;

TEST(HugePages, AreReadFromTheirSwitchesCountersAndPools) {
  CannedTree tree;
  tree.Write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  tree.Write("/sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never\n");
  tree.Write("/proc/vmstat",
             "nr_free_pages 5\ncompact_stall 812\nthp_fault_alloc 90211\nthp_fault_fallback 77\n");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "2\n");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", "2\n");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-1048576kB/resv_hugepages", "1\n");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "12\n");
  const HugePages pages = ReadHugePages(tree.root());
  EXPECT_EQ(pages.enabled, "always");
  EXPECT_EQ(pages.defrag, "madvise");
  EXPECT_EQ(pages.stalls, 812);
  EXPECT_EQ(pages.given, 90211);
  EXPECT_EQ(pages.fallen_back, 77);
  ASSERT_EQ(pages.pools.size(), 2);
  EXPECT_EQ(pages.pools[0].page, 2_MiB);
  EXPECT_EQ(UnusedHugePages(pages), 1_GiB + 24_MiB) << "what is promised is not unused";
}

TEST(HugePages, AreMissingWhereTheKernelHasNone) {
  const CannedTree tree;
  const HugePages pages = ReadHugePages(tree.root());
  EXPECT_THAT(pages.enabled, IsEmpty());
  EXPECT_EQ(pages.stalls, std::nullopt);
  EXPECT_THAT(pages.pools, IsEmpty());
  EXPECT_EQ(UnusedHugePages(pages), Bytes{0});
}

TEST(HugePages, OfNonsenseThereAreNone) {
  CannedTree tree;
  tree.Write("/sys/kernel/mm/hugepages/hugepages-manykB/nr_hugepages", "1\n");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "3\n");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "9\n");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages", "99\n");
  EXPECT_EQ(UnusedHugePages(ReadHugePages(tree.root())), Bytes{0});
}

}  // namespace
}  // namespace sluice::probes

#include "sluice/probes/page_cache.h"

#include <gtest/gtest.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

constexpr CacheBounds kPatient{.time = std::chrono::hours(1)};

TEST(PageCache, HoldsWhatHasJustBeenWritten) {
  CannedTree tree;
  tree.Write("/small", std::string(10'000, 'x'));
  tree.Write("/empty", "");
  const CachedShare share = LookAtPageCache(
      {{tree.root() + "/small", Bytes{10'000}}, {tree.root() + "/empty", Bytes{0}}}, kPatient);
  EXPECT_EQ(share.files, 1) << "an empty file has nothing to be cached";
  EXPECT_EQ(share.hidden, 0);
  EXPECT_EQ(share.looked, Bytes{10'000});
  EXPECT_EQ(share.cached, Bytes{10'000}) << "not more than there is, though its last page is not full";
  EXPECT_TRUE(share.whole);
}

TEST(PageCache, OfALargeFileOnlyWindowsAreLookedAt) {
  CannedTree tree;
  tree.Write("/large", std::string(1 << 20, 'x'));
  CacheBounds bounds = kPatient;
  bounds.window = 16_KiB;
  bounds.windows = 4;
  const CachedShare share = LookAtPageCache({{tree.root() + "/large", 1_MiB}}, bounds);
  EXPECT_EQ(share.looked, 64_KiB);
  EXPECT_EQ(share.cached, 64_KiB);
}

TEST(PageCache, AHoleThatNobodyHasReadIsNotCached) {
  CannedTree tree;
  tree.Write("/hole", "");
  std::filesystem::resize_file(tree.root() + "/hole", 1 << 20);
  const CachedShare share = LookAtPageCache({{tree.root() + "/hole", 1_MiB}}, kPatient);
  EXPECT_EQ(share.looked, 1_MiB);
  EXPECT_EQ(share.cached, Bytes{0});
}

TEST(PageCache, WhatIsGoneOrNoFileIsCountedAsNotTold) {
  const CannedTree tree;
  const CachedShare share = LookAtPageCache({{tree.root() + "/gone", 1_KiB}, {tree.root(), 1_KiB}}, kPatient);
  EXPECT_EQ(share.hidden, 2);
  EXPECT_EQ(share.looked, Bytes{0});
}

TEST(PageCache, SaysWhenTimeDidNotSuffice) {
  const CannedTree tree;
  const CacheBounds none{.time = -std::chrono::seconds(1)};
  EXPECT_FALSE(LookAtPageCache({{tree.root() + "/a", 1_KiB}}, none).whole);
}

TEST(PageCache, OfOthersFilesTheKernelSaysThatAllIsCached) {
  EXPECT_TRUE(MayTellCached(1000, 1000, false));
  EXPECT_TRUE(MayTellCached(1000, 0, false));
  EXPECT_TRUE(MayTellCached(0, 1000, true));
  EXPECT_FALSE(MayTellCached(0, 1000, false)) << "so nothing of it is counted";
}

TEST(PageCache, OnlyTheLowestBitOfAByteSaysThatAPageIsThere) {
  EXPECT_EQ(CountPresent({1, 0, 3, 2, 0xff}), 3);
}

}  // namespace
}  // namespace sluice::probes

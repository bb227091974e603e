#include "memory_plan.h"

#include <gmock/gmock.h>

namespace sluice::runtime {
namespace {

using testing::HasSubstr;
constexpr std::size_t kSource = 0, kMap = 1, kBatch = 2;

class MemoryPlanTest : public testing::Test {
 protected:
  int told_ = 0;
  BufferPool pool_{100_KiB, [this] { ++told_; }};
  MemoryPlan plan_{pool_, 3};
};

TEST_F(MemoryPlanTest, KeepsFreeWhatTheOpsBehindNeed) {
  plan_.Need(kBatch, 60_KiB);
  ASSERT_TRUE(plan_.Settle());
  const BufferRef row = plan_.Acquire(kSource, 40 << 10);
  EXPECT_TRUE(row);
  EXPECT_FALSE(plan_.Acquire(kSource, 1));
  EXPECT_TRUE(plan_.Acquire(kBatch, 56 << 10)) << "the op behind has what was kept for it";
}

TEST_F(MemoryPlanTest, WhatAnOpHoldsAlreadyIsNotKeptTwice) {
  plan_.Need(kBatch, 60_KiB);
  ASSERT_TRUE(plan_.Settle());
  const BufferRef batch = plan_.Acquire(kBatch, 56 << 10);
  plan_.Hold(kBatch, 56_KiB);
  EXPECT_TRUE(plan_.Acquire(kSource, 40 << 10));
  plan_.Hold(kBatch, {});
  EXPECT_FALSE(plan_.Acquire(kSource, 40 << 10));
}

TEST_F(MemoryPlanTest, TellsThoseWhoWereRefusedWhenLessIsKept) {
  plan_.Need(kBatch, 60_KiB);
  ASSERT_TRUE(plan_.Settle());
  const BufferRef batch = plan_.Acquire(kBatch, 56 << 10);
  EXPECT_FALSE(plan_.Acquire(kSource, 40 << 10));
  EXPECT_EQ(told_, 0);
  plan_.Hold(kBatch, 56_KiB);
  EXPECT_EQ(told_, 1);
  EXPECT_TRUE(plan_.Acquire(kSource, 40 << 10));
}

TEST_F(MemoryPlanTest, AnOpDoesNotKeepMemoryFromItself) {
  plan_.Need(kMap, 96_KiB);
  ASSERT_TRUE(plan_.Settle());
  EXPECT_TRUE(plan_.Acquire(kMap, 96 << 10));
}

TEST_F(MemoryPlanTest, RefusesABudgetBelowTheSumOfAllNeedsAndNamesIt) {
  plan_.Need(kSource, 20_KiB);
  plan_.Need(kMap, 30_KiB);
  plan_.Need(kBatch, 50_KiB);
  plan_.Need(kBatch, 4_KiB);
  EXPECT_TRUE(plan_.Settle());
  plan_.Need(kSource, Bytes{20 * 1024 + 1});
  const auto settled = plan_.Settle();
  ASSERT_FALSE(settled);
  EXPECT_THAT(settled.error().message, HasSubstr("at least 101 KiB with --memory"));
}

TEST_F(MemoryPlanTest, OpsWhoseRowsDifferShareHalfOfWhatTheOthersLeave) {
  plan_.Need(kSource, 20_KiB);
  plan_.Varies(kMap);
  plan_.Varies(kBatch);
  ASSERT_TRUE(plan_.Settle());
  EXPECT_TRUE(plan_.Fits(kMap, 20_KiB));
  EXPECT_FALSE(plan_.Fits(kMap, 21_KiB));
  const BufferRef rows = plan_.Acquire(kSource, 56 << 10);
  EXPECT_TRUE(rows);
  EXPECT_FALSE(plan_.Acquire(kSource, 8 << 10)) << "40 KiB are kept for the two behind";
}

TEST_F(MemoryPlanTest, NamesTheBudgetWithWhichALargeRowFits) {
  plan_.Need(kSource, 20_KiB);
  plan_.Varies(kMap);
  plan_.Varies(kBatch);
  ASSERT_TRUE(plan_.Settle());
  EXPECT_EQ(plan_.TooLarge(kMap, "a row", 30_KiB).message,
            "a row of 30.0 KiB does not fit the memory budget; give at least 140 KiB with --memory");
  BufferPool larger(140_KiB);
  MemoryPlan enough(larger, 3);
  enough.Need(kSource, 20_KiB);
  enough.Varies(kMap);
  enough.Varies(kBatch);
  ASSERT_TRUE(enough.Settle());
  EXPECT_TRUE(enough.Fits(kMap, 30_KiB));
}

// A zip of two branches, ops 0 and 1 and their sources' memory; op 2 keeps rows of both.
class MemoryAccountsTest : public testing::Test {
 protected:
  MemoryAccountsTest() {
    plan_.Need(0, 8_KiB);
    plan_.Need(1, 8_KiB);
    plan_.Need(2, 0, 16_KiB);
    plan_.Need(2, 1, 16_KiB);
    EXPECT_TRUE(plan_.Settle());
  }
  // As much as the branch gets, in rows of 8 KiB.
  std::vector<BufferRef> Fill(std::size_t branch) {
    std::vector<BufferRef> rows;
    while (BufferRef row = plan_.Acquire(branch, 8 << 10)) rows.push_back(std::move(row));
    return rows;
  }
  int told_ = 0;
  BufferPool pool_{112_KiB, [this] { ++told_; }};
  MemoryPlan plan_{pool_, {0, 1, 2}};
};

TEST_F(MemoryAccountsTest, ABranchThatRunsAheadLeavesTheOtherWhatItNeeds) {
  const auto ahead = Fill(0);
  EXPECT_EQ(ahead.size(), 9u) << "of 112 KiB 24 are the other's, and 16 are for the rows to be kept";
  const auto first = Fill(1);
  EXPECT_EQ(first.size(), 1u) << "of its 24 KiB 16 are for the rows to be kept";
  plan_.Hold(2, 1, 8_KiB);
  EXPECT_EQ(Fill(1).size(), 1u) << "the first of which is there";
}

TEST_F(MemoryAccountsTest, WhatABranchHasBeenLentComesBackWithItsBuffers) {
  {
    const auto ahead = Fill(0);
  }
  EXPECT_EQ(Fill(1).size(), 9u);
}

TEST_F(MemoryAccountsTest, NothingIsLentThatABranchNeedsToPassOnWhatItHas) {
  BufferRef some = plan_.Acquire(0, 40 << 10);
  const auto ahead = Fill(1);
  EXPECT_EQ(ahead.size(), 5u)
      << "of 112 KiB 40 are in use, and 16 of each branch are for the rows to be kept";
  EXPECT_FALSE(plan_.Acquire(0, 8 << 10));
  some.reset();
  EXPECT_TRUE(plan_.Acquire(0, 8 << 10));
  EXPECT_GE(told_, 1);
}

TEST(MemoryPlan, WithoutALimitEverythingFits) {
  BufferPool pool(Bytes{0});
  MemoryPlan plan(pool, 2);
  plan.Need(1, 1000_GiB);
  plan.Varies(0);
  ASSERT_TRUE(plan.Settle());
  EXPECT_TRUE(plan.Fits(0, 2000_GiB));
  EXPECT_TRUE(plan.Acquire(0, 1 << 20));
}

}  // namespace
}  // namespace sluice::runtime

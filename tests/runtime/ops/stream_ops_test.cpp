#include "ops/stream_ops.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "runtime/ops/drive.h"

namespace sluice::runtime {
namespace {

using Indices = std::vector<std::uint64_t>;
using testing::ElementsAre;

class StreamOpsTest : public testing::Test {
 protected:
  // Rows 0..n-1 and a mark, per epoch.
  static std::vector<Item> Epochs(std::uint64_t epochs, std::uint64_t rows) {
    std::vector<Item> items;
    for (std::uint64_t e = 0; e < epochs; ++e) {
      AddRows(items, 0, rows, e);
      items.push_back(Mark(e));
    }
    return items;
  }
  std::vector<Item> Shuffled(std::uint64_t seed, std::size_t size, std::vector<Item> items) {
    ShuffleLogic op(1, seed, size, memory_);
    return OpDriver(op).FeedAll(std::move(items));
  }
  BufferPool pool_{Bytes{0}};
  MemoryPlan memory_{pool_, 2};
};

TEST_F(StreamOpsTest, ShuffleKeepsEveryRowWithinItsEpoch) {
  const auto out = Shuffled(7, 10, Epochs(3, 100));
  ASSERT_EQ(out.size(), 303u);
  for (std::uint64_t e = 0; e < 3; ++e) {
    Indices rows;
    for (std::size_t i = 0; i < 100; ++i) {
      ASSERT_EQ(out[e * 101 + i].epoch, e);
      rows.push_back(out[e * 101 + i].index);
    }
    EXPECT_EQ(out[e * 101 + 100].kind, ItemKind::kEpochEnd);
    EXPECT_FALSE(std::ranges::is_sorted(rows));
    std::ranges::sort(rows);
    Indices all(100);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(rows, all);
  }
}

TEST_F(StreamOpsTest, ShuffleLetsNoRowGoEarlierThanItsBufferAllows) {
  const auto rows = IndicesOf(Shuffled(7, 10, Epochs(1, 200)));
  for (std::size_t place = 0; place < rows.size(); ++place) EXPECT_LE(rows[place], place + 10);
}

TEST_F(StreamOpsTest, ShuffleDependsOnTheSeedAndTheEpoch) {
  const auto once = IndicesOf(Shuffled(7, 50, Epochs(2, 50)));
  EXPECT_EQ(once, IndicesOf(Shuffled(7, 50, Epochs(2, 50))));
  EXPECT_NE(once, IndicesOf(Shuffled(8, 50, Epochs(2, 50))));
  EXPECT_NE(Indices(once.begin(), once.begin() + 50), Indices(once.begin() + 50, once.end()));
}

TEST_F(StreamOpsTest, ShuffleOfAWholeEpochIsUniform) {
  std::vector<int> first(8);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) ++first[IndicesOf(Shuffled(seed, 8, Epochs(1, 8)))[0]];
  for (const int n : first) EXPECT_NEAR(n, 500, 100);  // 4.5 standard deviations
}

TEST_F(StreamOpsTest, ShuffleEmitsWhatItHoldsWhenTheInputEndsWithoutAMark) {
  std::vector<Item> items;
  AddRows(items, 0, 5);
  auto rows = IndicesOf(Shuffled(1, 100, std::move(items)));
  std::ranges::sort(rows);
  EXPECT_EQ(rows, (Indices{0, 1, 2, 3, 4}));
}

TEST_F(StreamOpsTest, ShuffleLetsAnErrorPassAtOnceAndForgetsRowsThatWereLeftOut) {
  ShuffleLogic op(1, 7, 10, memory_);
  OpDriver driver(op);
  EXPECT_TRUE(driver.Feed(Row(0)).empty());
  EXPECT_EQ(driver.Feed(OfKind(ItemKind::kError)).size(), 1u);
  EXPECT_TRUE(driver.Feed(OfKind(ItemKind::kSkipped)).empty());
  EXPECT_EQ(driver.Finish().size(), 1u);
}

TEST_F(StreamOpsTest, ShuffleSaysWhichBudgetWouldDoWhenItsRowsDoNotFit) {
  BufferPool pool(64_KiB);
  MemoryPlan memory(pool, 2);
  memory.Varies(1);
  ASSERT_TRUE(memory.Settle());
  BufferPool rows(Bytes{0});
  ShuffleLogic op(1, 7, 100, memory);
  OpDriver driver(op);
  std::vector<Unit> units;
  for (std::uint64_t i = 0; i < 9; ++i) {
    ASSERT_TRUE(units.empty()) << i;
    Item row = Row(i);
    row.buffer = rows.Acquire(4096);
    units = driver.Feed(std::move(row));
  }
  ASSERT_EQ(units.size(), 1u);
  EXPECT_THAT(units[0].item.error()->message,
              testing::HasSubstr(
                  "a shuffle buffer of 404 KiB does not fit the memory budget; give at least 808 KiB"));
}

TEST_F(StreamOpsTest, RepeatMakesSeveralPassesOneEpoch) {
  RepeatLogic op(3);
  const auto out = OpDriver(op).FeedAll(Epochs(6, 2));
  ASSERT_EQ(out.size(), 14u);
  EXPECT_EQ(out[6].kind, ItemKind::kEpochEnd);
  EXPECT_EQ(out[6].epoch, 0u);
  EXPECT_EQ(out[13].kind, ItemKind::kEpochEnd);
  EXPECT_EQ(out[13].epoch, 1u);
  EXPECT_THAT(IndicesOf(out), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
}

TEST_F(StreamOpsTest, TakeLetsTheFirstRowsOfEveryEpochPass) {
  RangeOfEpochLogic op(0, 2);
  EXPECT_THAT(IndicesOf(OpDriver(op).FeedAll(Epochs(2, 5))), ElementsAre(0, 1, 0, 1));
}

TEST_F(StreamOpsTest, SkipHoldsBackTheFirstRowsOfEveryEpoch) {
  RangeOfEpochLogic op(3, std::numeric_limits<std::uint64_t>::max());
  const auto out = OpDriver(op).FeedAll(Epochs(2, 5));
  EXPECT_THAT(IndicesOf(out), ElementsAre(3, 4, 3, 4));
  EXPECT_EQ(Count(out, ItemKind::kEpochEnd), 2u);
}

TEST_F(StreamOpsTest, TakeCountsReplacedRowsButNotThoseLeftOut) {
  RangeOfEpochLogic op(0, 2);
  std::vector<Item> items;
  items.push_back(OfKind(ItemKind::kSkipped));
  items.push_back(Row(1));
  items.push_back(OfKind(ItemKind::kReplaced));
  items.push_back(Row(3));
  const auto out = OpDriver(op).FeedAll(std::move(items));
  EXPECT_THAT(IndicesOf(out), ElementsAre(1));
  EXPECT_EQ(Count(out, ItemKind::kReplaced), 1u);
}

TEST_F(StreamOpsTest, TakeNeverHoldsAnErrorBack) {
  RangeOfEpochLogic op(0, 1);
  std::vector<Item> items;
  AddRows(items, 0, 3);
  items.push_back(OfKind(ItemKind::kError));
  EXPECT_EQ(Count(OpDriver(op).FeedAll(std::move(items)), ItemKind::kError), 1u);
}

}  // namespace
}  // namespace sluice::runtime

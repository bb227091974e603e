#include "ops/source.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "runtime/ops/drive.h"

namespace sluice::runtime {
namespace {

using Indices = std::vector<std::uint64_t>;

class SourceTest : public testing::Test {
 protected:
  // All items of a plan over `rows` rows, `chunk` at a time.
  std::vector<Item> All(SourcePlan plan, std::uint64_t rows, std::size_t chunk = 7) {
    auto dataset = OpenDataset({.from = RangeSource{rows}}, Bytes{0});
    SourceLogic op(plan, std::move(*dataset), memory_, &epoch_);
    OpDriver driver(op);
    std::vector<Item> items;
    while (driver.supply == OpLogic::Supply::kMore) {
      for (Unit& unit : driver.Generate(chunk)) items.push_back(std::move(unit.item));
    }
    EXPECT_EQ(driver.supply, OpLogic::Supply::kEnd);
    return items;
  }
  BufferPool pool_{Bytes{0}};
  MemoryPlan memory_{pool_, 1};
  probes::segment::Counter epoch_{0};
};

Indices UpTo(std::uint64_t n) {
  Indices all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST_F(SourceTest, ReadsEveryRowOfEveryPassAndMarksTheirEnds) {
  const auto items = All({.passes = 3}, 10);
  ASSERT_EQ(items.size(), 33u);
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(items[i].epoch, i / 11);
    EXPECT_EQ(items[i].kind, i % 11 == 10 ? ItemKind::kEpochEnd : ItemKind::kRow);
    if (i % 11 < 10) {
      EXPECT_EQ(items[i].index, i % 11);
    }
  }
  EXPECT_EQ(epoch_, 3u);
}

TEST_F(SourceTest, ShufflesEachPassInAnotherWayAndLosesNoRow) {
  const auto rows = IndicesOf(All({.seed = 5, .passes = 2, .shuffle = true}, 1000));
  Indices first(rows.begin(), rows.begin() + 1000), second(rows.begin() + 1000, rows.end());
  EXPECT_NE(first, second);
  EXPECT_FALSE(std::ranges::is_sorted(first));
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_EQ(first, UpTo(1000));
  EXPECT_EQ(second, UpTo(1000));
}

TEST_F(SourceTest, TheOrderIsTheSeeds) {
  const auto with = [this](std::uint64_t seed) {
    return IndicesOf(All({.seed = seed, .shuffle = true}, 50));
  };
  EXPECT_EQ(with(1), with(1));
  EXPECT_NE(with(1), with(2));
}

TEST_F(SourceTest, ShardsCoverTheEpochExactlyOnce) {
  for (const bool shuffle : {false, true}) {
    for (const std::uint64_t rows : {10u, 11u, 12u, 100u}) {
      Indices all;
      for (std::uint32_t shard = 0; shard < 3; ++shard) {
        const auto mine = IndicesOf(All({.shuffle = shuffle, .num_shards = 3, .shard_id = shard}, rows));
        EXPECT_LE(mine.size(), rows / 3 + 1);
        EXPECT_GE(mine.size(), rows / 3);
        all.insert(all.end(), mine.begin(), mine.end());
      }
      std::ranges::sort(all);
      EXPECT_EQ(all, UpTo(rows));
    }
  }
}

TEST_F(SourceTest, AShuffledShardHasOtherRowsInEachEpoch) {
  const auto rows = IndicesOf(All({.passes = 2, .shuffle = true, .num_shards = 4, .shard_id = 1}, 400));
  const std::set<std::uint64_t> first(rows.begin(), rows.begin() + 100);
  const std::set<std::uint64_t> second(rows.begin() + 100, rows.end());
  EXPECT_NE(first, second);
}

TEST_F(SourceTest, ReadsNoMoreThanWhatIsTaken) {
  const auto items = All({.passes = 2, .take = 3}, 10);
  EXPECT_THAT(IndicesOf(items), testing::ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_EQ(All({.take = 0}, 10).size(), 1u) << "the mark only";
  EXPECT_EQ(All({.take = 99}, 10).size(), 11u);
}

TEST_F(SourceTest, IsEndlessWithoutANumberOfPasses) {
  auto dataset = OpenDataset({.from = RangeSource{3}}, Bytes{0});
  SourceLogic op({.passes = 0}, std::move(*dataset), memory_, &epoch_);
  OpDriver driver(op);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(driver.Generate(50).size(), 50u);
  EXPECT_EQ(driver.supply, OpLogic::Supply::kMore);
}

}  // namespace
}  // namespace sluice::runtime

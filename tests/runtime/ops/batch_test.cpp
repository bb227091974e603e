#include "ops/batch.h"

#include <gmock/gmock.h>

#include <cstring>

#include "runtime/ops/drive.h"

namespace sluice::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kRowBytes = 96;

class BatchTest : public testing::Test {
 protected:
  BatchTest() { SettleVarying(memory_); }
  static void SettleVarying(MemoryPlan& memory) {
    memory.Varies(2);
    ASSERT_TRUE(memory.Settle());
  }
  BatchLogic Make(std::uint32_t size, bool drop, bool in_place = false) {
    return BatchLogic(2, size, drop, in_place, memory_);
  }
  // A row whose bytes all are its index.
  Item DataRow(std::uint64_t index, std::uint64_t epoch = 0, std::uint32_t bytes = kRowBytes) {
    Item item = Row(index, epoch);
    item.buffer = pool_.Acquire(bytes);
    Fill(item, item.buffer->data(), bytes);
    return item;
  }
  // The same in the next place of a batch buffer, as the op before leases it.
  Item RowInPlace(BatchSlots& slots, std::uint64_t index) {
    auto place = slots.Lease();
    Item item = Row(index);
    Fill(item, place.bytes.data(), kRowBytes);
    item.buffer = std::move(place.buffer);
    return item;
  }
  static void Fill(Item& item, std::byte* at, std::uint32_t bytes) {
    std::memset(at, static_cast<int>(item.index), bytes);
    item.data = {at, image::DType::kU8, {{bytes}, 1}};
  }
  // The batch's rows' first bytes, after a look at the others.
  static std::vector<int> Bytes(const Item& batch) {
    std::vector<int> values;
    for (std::size_t row = 0; row < batch.Rows(); ++row) {
      const std::byte* at = batch.data.data + row * kRowBytes;
      for (std::size_t i = 1; i < kRowBytes; ++i) EXPECT_EQ(at[i], at[0]) << "row " << row;
      values.push_back(std::to_integer<int>(at[0]));
    }
    return values;
  }
  BufferPool pool_{4_MiB};
  MemoryPlan memory_{pool_, 3};
};

TEST_F(BatchTest, CollatesRowsWithLabelsAndIndices) {
  BatchLogic op = Make(3, false);
  OpDriver driver(op);
  EXPECT_TRUE(driver.Feed(DataRow(4)).empty());
  EXPECT_TRUE(driver.Feed(DataRow(5)).empty());
  const auto units = driver.Feed(DataRow(6));
  ASSERT_EQ(units.size(), 1u);
  const Item& batch = units[0].item;
  EXPECT_EQ(batch.kind, ItemKind::kBatch);
  EXPECT_EQ(batch.data.shape, (image::Shape{{3, kRowBytes}, 2}));
  EXPECT_THAT(Bytes(batch), ElementsAre(4, 5, 6));
  EXPECT_THAT(batch.Labels(), ElementsAre(4, 5, 6));
  EXPECT_THAT(batch.Indices(), ElementsAre(4, 5, 6));
}

TEST_F(BatchTest, RowsWithoutDataMakeABatchOfLabels) {
  BatchLogic op = Make(2, false);
  OpDriver driver(op);
  driver.Feed(Row(8));
  const auto units = driver.Feed(Row(9));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].item.data.Size(), 0u);
  EXPECT_THAT(units[0].item.Labels(), ElementsAre(8, 9));
}

TEST_F(BatchTest, ClosesThePartialBatchBeforeTheEpochsMark) {
  BatchLogic op = Make(4, false);
  OpDriver driver(op);
  driver.Feed(DataRow(1));
  const auto units = driver.Feed(Mark(0));
  ASSERT_EQ(units.size(), 2u);
  EXPECT_THAT(Bytes(units[0].item), ElementsAre(1));
  EXPECT_EQ(units[0].item.data.shape.dims[0], 1u);
  EXPECT_EQ(units[1].item.kind, ItemKind::kEpochEnd);
  EXPECT_TRUE(driver.Feed(DataRow(2, 1)).empty());
}

TEST_F(BatchTest, DropRemainderDropsItAndItsMemory) {
  BatchLogic op = Make(4, true);
  OpDriver driver(op);
  driver.Feed(DataRow(1));
  const auto units = driver.Feed(Mark(0));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].item.kind, ItemKind::kEpochEnd);
  EXPECT_EQ(pool_.in_use(), ::sluice::Bytes{0});
  driver.Feed(DataRow(1));
  EXPECT_TRUE(driver.Finish().empty());
  EXPECT_EQ(pool_.in_use(), ::sluice::Bytes{0});
}

TEST_F(BatchTest, EmitsThePartialBatchWhenTheInputEnds) {
  BatchLogic op = Make(4, false);
  OpDriver driver(op);
  driver.Feed(DataRow(1));
  const auto units = driver.Finish();
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].item.Rows(), 1u);
}

TEST_F(BatchTest, WritesOneHotLabels) {
  BatchLogic op = Make(2, false);
  OpDriver driver(op);
  for (const std::uint64_t label : {2u, 0u}) {
    Item row = DataRow(label);
    row.one_hot = 3;
    const auto units = driver.Feed(std::move(row));
    if (units.empty()) continue;
    EXPECT_THAT(units[0].item.OneHotLabels(), ElementsAre(0, 0, 1, 1, 0, 0));
    EXPECT_TRUE(units[0].item.Labels().empty());
  }
}

TEST_F(BatchTest, RefusesRowsOfDifferentShapes) {
  BatchLogic op = Make(2, false);
  OpDriver driver(op);
  driver.Feed(DataRow(1));
  const auto units = driver.Feed(DataRow(2, 0, 50));
  ASSERT_EQ(units.size(), 1u);
  ASSERT_NE(units[0].item.error(), nullptr);
  EXPECT_THAT(units[0].item.error()->message, HasSubstr("[96] and [50]"));
}

// It could be long in coming, and memory with it.
TEST_F(BatchTest, DoesNotWaitForTheRestOfABatchThatCannotBe) {
  BatchLogic op = Make(10, false);
  OpDriver driver(op);
  driver.Feed(DataRow(1));
  EXPECT_EQ(driver.Feed(DataRow(2, 0, 50)).size(), 1u);
  EXPECT_TRUE(driver.Feed(DataRow(3)).empty());
}

TEST_F(BatchTest, ClosesUpWhereRowsAreLeftOut) {
  BatchLogic op = Make(2, false);
  OpDriver driver(op);
  driver.Feed(DataRow(1));
  EXPECT_TRUE(driver.Feed(OfKind(ItemKind::kSkipped)).empty());
  const auto units = driver.Feed(DataRow(3));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_THAT(Bytes(units[0].item), ElementsAre(1, 3));
}

TEST_F(BatchTest, FillsAReplacedRowFromTheOneBeforeOrAtTheStartFromTheOneAfter) {
  BatchLogic op = Make(4, false);
  OpDriver driver(op);
  EXPECT_TRUE(driver.Feed(OfKind(ItemKind::kReplaced)).empty());
  driver.Feed(DataRow(5));
  driver.Feed(OfKind(ItemKind::kReplaced));
  const auto units = driver.Feed(DataRow(7));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_THAT(Bytes(units[0].item), ElementsAre(5, 5, 5, 7));
  EXPECT_THAT(units[0].item.Indices(), ElementsAre(5, 5, 5, 7));
}

TEST_F(BatchTest, TakesRowsThatLieInItsBufferAsTheyAre) {
  BatchSlots slots(memory_, 1, {3, kRowBytes, 0});
  BatchLogic op = Make(3, false, true);
  OpDriver driver(op);
  Item first = RowInPlace(slots, 1);
  const std::byte* at = first.data.data;
  driver.Feed(std::move(first));
  driver.Feed(RowInPlace(slots, 2));
  const auto units = driver.Feed(RowInPlace(slots, 3));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].item.data.data, at);
  EXPECT_THAT(Bytes(units[0].item), ElementsAre(1, 2, 3));
}

TEST_F(BatchTest, RowsInPlaceMoveUpWhereOthersFailed) {
  BatchSlots slots(memory_, 1, {3, kRowBytes, 0});
  BatchLogic op = Make(3, false, true);
  OpDriver driver(op);
  std::vector<Item> rows;
  rows.reserve(9);
  for (std::uint64_t i = 0; i < 9; ++i) rows.push_back(RowInPlace(slots, i));
  std::vector<std::vector<int>> batches;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool failed = i == 1 || i == 3;
    if (failed) rows[i].buffer.reset();
    for (const Unit& unit : driver.Feed(failed ? OfKind(ItemKind::kSkipped) : std::move(rows[i])))
      batches.push_back(Bytes(unit.item));
  }
  EXPECT_THAT(batches, ElementsAre(ElementsAre(0, 2, 4), ElementsAre(5, 6, 7)));
  EXPECT_THAT(Bytes(driver.Finish()[0].item), ElementsAre(8));
}

TEST_F(BatchTest, ReplacesRowsInPlaceWithoutTouchingPlacesThatOthersStillWriteTo) {
  BatchSlots slots(memory_, 1, {4, kRowBytes, 0});
  BatchLogic op = Make(4, false, true);
  OpDriver driver(op);
  std::vector<Item> rows;
  rows.reserve(4);
  for (std::uint64_t i = 0; i < 4; ++i) rows.push_back(RowInPlace(slots, i));
  rows[0].buffer.reset();
  driver.Feed(OfKind(ItemKind::kReplaced));
  driver.Feed(std::move(rows[1]));
  EXPECT_EQ(std::to_integer<int>(rows[2].data.data[0]), 2);
  driver.Feed(std::move(rows[2]));
  rows[3].buffer.reset();
  const auto units = driver.Feed(OfKind(ItemKind::kReplaced));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_THAT(Bytes(units[0].item), ElementsAre(1, 1, 2, 2));
}

// Row 0 is left out, so the second batch starts in the third place of a buffer at most: places before it can
// be filled, those behind it are being written to.
TEST_F(BatchTest, FillsNoPlaceThatOthersStillWriteToWhereSomeRowsAreLeftOutAndSomeReplaced) {
  BatchSlots slots(memory_, 1, {3, kRowBytes, 0});
  BatchLogic op = Make(3, false, true);
  OpDriver driver(op);
  std::vector<Item> rows;
  rows.reserve(9);
  for (std::uint64_t i = 0; i < 9; ++i) rows.push_back(RowInPlace(slots, i));
  std::vector<std::vector<int>> batches;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool left_out = i == 0, replaced = i == 4 || i == 5;
    if (left_out || replaced) rows[i].buffer.reset();
    const ItemKind kind = left_out ? ItemKind::kSkipped : ItemKind::kReplaced;
    for (const Unit& unit : driver.Feed(left_out || replaced ? OfKind(kind) : std::move(rows[i])))
      batches.push_back(Bytes(unit.item));
  }
  EXPECT_THAT(batches, ElementsAre(ElementsAre(1, 2, 3), ElementsAre(6, 7, 8)));
}

TEST_F(BatchTest, WaitsForMemoryThatWillComeAndLeavesTheRowUntouched) {
  BufferPool small(64_KiB);
  MemoryPlan memory(small, 3);
  SettleVarying(memory);
  BatchLogic op(2, 4, false, false, memory);
  BufferRef taken = small.Acquire(60'000);
  Emitted emitted;
  Item row = DataRow(3);
  EXPECT_EQ(op.Admit(row, emitted.out), OpLogic::Admission::kNoMemory);
  EXPECT_TRUE(row.buffer);
  taken.reset();
  EXPECT_EQ(op.Admit(row, emitted.out), OpLogic::Admission::kTaken);
}

TEST_F(BatchTest, SaysWhichBudgetWouldDoWhenABatchNeverFits) {
  BufferPool small(8_KiB);
  MemoryPlan memory(small, 3);
  SettleVarying(memory);
  BatchLogic op(2, 4, false, false, memory);
  Emitted emitted;
  Item row = DataRow(3);
  EXPECT_EQ(op.Admit(row, emitted.out), OpLogic::Admission::kTaken);
  const auto units = emitted.Take();
  ASSERT_EQ(units.size(), 1u);
  ASSERT_NE(units[0].item.error(), nullptr);
  EXPECT_THAT(units[0].item.error()->message, HasSubstr("--memory"));
}

TEST_F(BatchTest, GivesVectorsBackForReuse) {
  BatchLogic op = Make(2, false);
  std::vector<Item> rows;
  rows.reserve(2);
  const Item* at = rows.data();
  op.Recycle(std::move(rows));
  OpDriver driver(op);
  driver.Feed(Row(0));
  driver.Feed(Row(1));
  Emitted emitted;
  for (std::uint64_t i = 2; i < 4; ++i) {
    Item row = Row(i);
    ASSERT_EQ(op.Admit(row, emitted.out), OpLogic::Admission::kTaken);
  }
  EXPECT_EQ(emitted.Take().at(0).rows.data(), at);
}

}  // namespace
}  // namespace sluice::runtime

#include "ops/map.h"

#include <gmock/gmock.h>

#include "runtime/ops/drive.h"

namespace sluice::runtime {
namespace {

using testing::HasSubstr;

// A 2x2 RGB image that lives outside of the pool.
class MapTest : public testing::Test {
 protected:
  MapTest() {
    memory_.Varies(1);
    EXPECT_TRUE(memory_.Settle());
  }
  Item Image(std::uint64_t index) {
    Item item = Row(index);
    item.data = {pixels_, image::DType::kU8, {{2, 2, 3}, 3}};
    return item;
  }
  static std::optional<image::RowProgram> Program() {
    auto program = image::RowProgram::Compile({image::ToFloat{}},
                                              {false, image::DType::kU8, image::Shape{{2, 2, 3}, 3}, false});
    return std::move(*program);
  }
  const std::byte pixels_[12] = {std::byte{255}, std::byte{51}};
  BufferPool pool_{64_KiB};
  MemoryPlan memory_{pool_, 3};
};

TEST_F(MapTest, RunsItsTransformsIntoPooledMemory) {
  MapLogic op({1, 0, 0, {}}, Program(), nullptr, memory_);
  const auto units = OpDriver(op).Feed(Image(3));
  ASSERT_EQ(units.size(), 1u);
  const Item& row = units[0].item;
  EXPECT_EQ(row.index, 3u);
  EXPECT_EQ(row.data.dtype, image::DType::kF32);
  EXPECT_FLOAT_EQ(reinterpret_cast<const float*>(row.data.data)[1], 0.2F);
  EXPECT_EQ(row.data.data, row.buffer->data());
}

TEST_F(MapTest, WritesIntoTheBatchsPlacesInOrder) {
  const BatchPlan plan{3, 48, 0};
  MapLogic op({1, 0, 0, {}}, Program(), std::make_unique<BatchSlots>(memory_, 1, plan), memory_);
  OpDriver driver(op);
  std::vector<Item> rows;
  rows.reserve(4);
  for (std::uint64_t i = 0; i < 4; ++i) rows.push_back(std::move(driver.Feed(Image(i))[0].item));
  EXPECT_EQ(rows[1].data.data, rows[0].data.data + 48);
  EXPECT_EQ(rows[2].data.data, rows[0].data.data + 96);
  EXPECT_NE(rows[3].buffer.get(), rows[0].buffer.get());
}

TEST_F(MapTest, StartsABatchOfItsOwnAfterAnEpoch) {
  const BatchPlan plan{3, 48, 0};
  MapLogic op({1, 0, 0, {}}, Program(), std::make_unique<BatchSlots>(memory_, 1, plan), memory_);
  OpDriver driver(op);
  const auto before = driver.Feed(Image(0));
  driver.Feed(Mark(0));
  const auto after = driver.Feed(Image(0));
  EXPECT_NE(after[0].item.buffer.get(), before[0].item.buffer.get());
  EXPECT_EQ(after[0].item.data.data, after[0].item.buffer->data());
}

// The batch op fills a replaced row's place; nobody else may be writing there.
TEST_F(MapTest, LeavesAPlaceForARowThatIsReplaced) {
  const BatchPlan plan{3, 48, 0};
  MapLogic op({1, 0, 0, {}}, Program(), std::make_unique<BatchSlots>(memory_, 1, plan), memory_);
  OpDriver driver(op);
  const auto first = driver.Feed(Image(0));
  driver.Feed(OfKind(ItemKind::kReplaced));
  const auto third = driver.Feed(Image(2));
  EXPECT_EQ(third[0].item.data.data, first[0].item.data.data + 96);
}

TEST_F(MapTest, WaitsForMemoryAndLeavesTheRowUntouched) {
  MapLogic op({1, 0, 0, {}}, Program(), nullptr, memory_);
  const BufferRef all = pool_.Acquire(64 << 10);
  ASSERT_TRUE(all);
  Emitted emitted;
  Item row = Image(5);
  EXPECT_EQ(op.Admit(row, emitted.out), OpLogic::Admission::kNoMemory);
  EXPECT_EQ(row.index, 5u);
  EXPECT_EQ(row.data.data, pixels_);
}

TEST_F(MapTest, CallsTheUsersFunctionForRows) {
  MapLogic op({1, 0, 0, [](Item& item) { item.label += 10; }}, std::nullopt, nullptr, memory_);
  OpDriver driver(op);
  EXPECT_EQ(driver.Feed(Row(4))[0].item.label, 14);
  EXPECT_EQ(driver.Feed(Mark(0))[0].item.kind, ItemKind::kEpochEnd);
}

TEST_F(MapTest, MakesLabelsOneHotAndRefusesThoseThatDoNotFit) {
  MapLogic op({1, 0, 3, {}}, std::nullopt, nullptr, memory_);
  OpDriver driver(op);
  EXPECT_EQ(driver.Feed(Row(2))[0].item.one_hot, 3u);
  const auto wrong = driver.Feed(Row(3));
  ASSERT_NE(wrong[0].item.error(), nullptr);
  EXPECT_THAT(wrong[0].item.error()->message, HasSubstr("label 3 does not fit one_hot = 3"));
}

TEST_F(MapTest, PassesFailedRowsOnUntouched) {
  MapLogic op({1, 0, 0, {}}, Program(), nullptr, memory_);
  const auto units = OpDriver(op).Feed(OfKind(ItemKind::kSkipped));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].item.kind, ItemKind::kSkipped);
  EXPECT_EQ(pool_.in_use(), Bytes{0});
}

}  // namespace
}  // namespace sluice::runtime

#include "sluice/runtime/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::runtime {

struct Item {};

namespace {

using testing::ElementsAre;

TEST(Describe, BuildsOpsInOrderWithEverySettingOfTheirs) {
  auto p = Describe("train").Seed(7).Epochs(0).Memory(64_MiB);
  p.ImageFolder("photos").Shuffled().Shard(1, 4).Capacity(8);
  p.Map("decode", {image::Decode{}, image::HwcToChw{}}).Workers(3).Unordered().OnError(ErrorPolicy::kSkip);
  p.Batch(64, DropRemainder::kYes).Name("collate").Serial();
  const PipelineDescription& d = p.description();
  EXPECT_EQ(d.name, "train");
  EXPECT_EQ(d.seed, 7u);
  EXPECT_EQ(d.epochs, 0u);
  EXPECT_EQ(d.memory, 64_MiB);
  ASSERT_THAT(OpNames(d), ElementsAre("image_folder", "decode", "collate"));
  const auto& source = std::get<SourceSpec>(d.ops[0].what);
  EXPECT_TRUE(source.shuffle);
  EXPECT_EQ(source.shard_id, 1u);
  EXPECT_EQ(source.num_shards, 4u);
  EXPECT_EQ(d.ops[0].capacity, 8);
  EXPECT_EQ(std::get<MapSpec>(d.ops[1].what).transforms.size(), 2u);
  EXPECT_EQ(d.ops[1].workers, 3);
  EXPECT_FALSE(d.ops[1].ordered);
  EXPECT_EQ(d.ops[1].on_error, ErrorPolicy::kSkip);
  EXPECT_TRUE(std::get<BatchSpec>(d.ops[2].what).drop_remainder);
  EXPECT_TRUE(d.ops[2].serial);
}

TEST(Describe, KeepsAUsersFunction) {
  auto p = Describe("train");
  p.Range(10);
  bool called = false;
  p.Map("mine", [&called](Item&) { called = true; });
  Item item;
  std::get<MapSpec>(p.description().ops[1].what).function(item);
  EXPECT_TRUE(called);
}

TEST(Describe, NamesOpsByTheirKindAndNumbersTheSecondOne) {
  auto p = Describe("train");
  p.Cifar10("cifar", true);
  p.Map("", {image::ToFloat{}});
  p.Map("", {image::HwcToChw{}});
  p.Synthetic("", {});
  p.Shuffle(10);
  p.Repeat(2);
  p.Take(5);
  p.Skip(1);
  p.Batch(2);
  EXPECT_THAT(OpNames(p), ElementsAre("cifar10", "map", "map2", "synthetic", "shuffle", "repeat", "take",
                                      "skip", "batch"));
  EXPECT_EQ(p.description().ops[2].name, "map2");
}

TEST(OpNames, LeavesTheNameThatALaterOpWasGiven) {
  PipelineDescription p;
  p.ops.resize(4);
  for (OpSpec& op : p.ops) op.what = MapSpec{};
  p.ops[2].name = "map";
  EXPECT_THAT(OpNames(p), ElementsAre("map2", "map3", "map", "map4"));
}

TEST(IsSerial, HoldsForOrderKeepingKindsAndWhereTheOpSaysSo) {
  auto p = Describe("train");
  p.Range(10);
  p.Shuffle(10);
  p.Repeat(2);
  p.Take(5);
  p.Skip(1);
  p.Batch(2);
  p.Synthetic("lookup", {}).Serial();
  std::vector<bool> serial;
  for (const OpSpec& op : p.description().ops) serial.push_back(IsSerial(op));
  EXPECT_THAT(serial, ElementsAre(false, true, true, true, true, false, true));
}

TEST(PassesOn, HoldsForOpsThatMakeNoItemsOfTheirOwn) {
  auto p = Describe("train");
  p.Range(10);
  p.Synthetic("wait", {});
  p.Synthetic("load", {.allocate = 1_MiB});
  p.Shuffle(10);
  p.Batch(2);
  std::vector<bool> passes_on;
  for (const OpSpec& op : p.description().ops) passes_on.push_back(PassesOn(op));
  EXPECT_THAT(passes_on, ElementsAre(false, true, false, true, false));
}

TEST(ReadsNothing, HoldsForOpsThatWorkInMemory) {
  auto p = Describe("train");
  p.Range(10);
  p.Map("decode", {image::Decode{}});
  p.Map("lookup", [](Item&) {});
  p.Synthetic("wait", {});
  p.Batch(2);
  std::vector<bool> reads_nothing;
  for (const OpSpec& op : p.description().ops) reads_nothing.push_back(ReadsNothing(op));
  EXPECT_THAT(reads_nothing, ElementsAre(true, true, false, true, true));
  auto files = Describe("train");
  files.ImageFolder("data/train");
  EXPECT_FALSE(ReadsNothing(files.description().ops[0]));
}

TEST(OpHandleDeathTest, RefusesASourceSettingOnAnotherOp) {
  auto p = Describe("train");
  p.Range(10);
  EXPECT_DEATH(p.Batch(2).Shuffled(), "source != nullptr");
  EXPECT_DEATH(p.Batch(2).Shard(0, 2), "source != nullptr");
}

}  // namespace
}  // namespace sluice::runtime

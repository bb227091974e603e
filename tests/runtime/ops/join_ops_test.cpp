#include "ops/join_ops.h"

#include <gmock/gmock.h>

#include "runtime/ops/drive.h"

namespace sluice::runtime {
namespace {

using testing::ElementsAre;

// Gives an op items from whichever of its inputs it wants, until that one has no more.
std::vector<Item> Join(OpLogic& op, std::vector<std::vector<Item>> inputs) {
  std::vector<std::size_t> next(inputs.size());
  std::vector<Item> joined;
  OpDriver driver(op);
  while (next[op.Wants()] < inputs[op.Wants()].size()) {
    const std::size_t from = op.Wants();
    for (Unit& unit : driver.Feed(std::move(inputs[from][next[from]++])))
      joined.push_back(std::move(unit.item));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(next[i], inputs[i].size()) << "input " << i;
  return joined;
}

template <typename... Items>
std::vector<std::vector<Item>> Inputs(Items... items) {
  std::vector<std::vector<Item>> all;
  (all.push_back(std::move(items)), ...);
  return all;
}

// Two epochs of `rows` rows, the first of which has this number.
std::vector<Item> TwoEpochs(std::uint64_t first, std::uint64_t rows) {
  std::vector<Item> items;
  for (const std::uint64_t epoch : {0, 1}) {
    AddRows(items, first, first + rows, epoch);
    items.push_back(Mark(epoch));
  }
  return items;
}

// "0+10" for a pair, "|" for the end of an epoch, "E", "S" and "R" for what has failed.
std::vector<std::string> Text(const std::vector<Item>& items) {
  std::vector<std::string> text;
  for (const Item& item : items) {
    text.push_back(item.kind == ItemKind::kEpochEnd   ? "|"
                   : item.kind == ItemKind::kError    ? "E"
                   : item.kind == ItemKind::kSkipped  ? "S"
                   : item.kind == ItemKind::kReplaced ? "R"
                                                      : std::to_string(item.index));
    for (const Item& other : item.others()) text.back() += "+" + std::to_string(other.index);
  }
  return text;
}

TEST(Zip, MakesOneItemOfOneOfEveryInput) {
  ZipLogic op(3);
  EXPECT_THAT(Text(Join(op, Inputs(TwoEpochs(0, 2), TwoEpochs(10, 2), TwoEpochs(20, 2)))),
              ElementsAre("0+10+20", "1+11+21", "|", "0+10+20", "1+11+21", "|"));
}

TEST(Zip, EndsAnEpochWithTheShortestInputAndTheNextBeginsTogether) {
  ZipLogic longer_first(2);
  EXPECT_THAT(Text(Join(longer_first, Inputs(TwoEpochs(0, 4), TwoEpochs(10, 1)))),
              ElementsAre("0+10", "|", "0+10", "|"));
  ZipLogic shorter_first(3);
  EXPECT_THAT(Text(Join(shorter_first, Inputs(TwoEpochs(0, 1), TwoEpochs(10, 3), TwoEpochs(20, 2)))),
              ElementsAre("0+10+20", "|", "0+10+20", "|"));
  ZipLogic empty(2);
  EXPECT_THAT(Text(Join(empty, Inputs(TwoEpochs(0, 2), TwoEpochs(10, 0)))), ElementsAre("|", "|"));
}

TEST(Zip, PassesTheFailureOfAPartOnInThePairsPlace) {
  std::vector<Item> a, b;
  AddRows(a, 0, 5);
  AddRows(b, 10, 15);
  a[1] = OfKind(ItemKind::kSkipped);
  b[2] = OfKind(ItemKind::kReplaced);
  a[3] = OfKind(ItemKind::kReplaced);
  b[3] = OfKind(ItemKind::kError);
  ZipLogic op(2);
  EXPECT_THAT(Text(Join(op, Inputs(std::move(a), std::move(b)))), ElementsAre("0+10", "S", "R", "E", "4+14"));
}

TEST(Zip, OfAZipHasAllColumnsInOneRow) {
  ZipLogic inner(2), outer(2);
  auto pairs = Join(inner, Inputs(TwoEpochs(0, 1), TwoEpochs(10, 1)));
  EXPECT_THAT(Text(Join(outer, Inputs(TwoEpochs(20, 1), std::move(pairs)))),
              ElementsAre("20+0+10", "|", "20+0+10", "|"));
}

TEST(Concat, TakesAllOfAnEpochOfOneInputThenOfTheNext) {
  ConcatLogic op(3);
  EXPECT_THAT(Text(Join(op, Inputs(TwoEpochs(0, 2), TwoEpochs(10, 0), TwoEpochs(20, 1)))),
              ElementsAre("0", "1", "20", "|", "0", "1", "20", "|"));
}

TEST(Concat, PassesFailuresOnInTheirPlaces) {
  std::vector<Item> a = TwoEpochs(0, 2), b = TwoEpochs(10, 1);
  a[1] = OfKind(ItemKind::kError);
  b[0] = OfKind(ItemKind::kSkipped);
  ConcatLogic op(2);
  EXPECT_THAT(Text(Join(op, Inputs(std::move(a), std::move(b)))),
              ElementsAre("0", "E", "S", "|", "0", "1", "10", "|"));
}

}  // namespace
}  // namespace sluice::runtime

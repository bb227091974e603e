// Drives an op by hand: one claim that takes everything, then the work.
#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "op_logic.h"

namespace sluice::runtime {

inline Item Row(std::uint64_t index, std::uint64_t epoch = 0) {
  Item item;
  item.index = index;
  item.epoch = epoch;
  item.label = static_cast<std::int64_t>(index);
  return item;
}
inline Item OfKind(ItemKind kind, std::uint64_t epoch = 0) {
  Item item;
  item.kind = kind;
  item.epoch = epoch;
  return item;
}
inline Item Mark(std::uint64_t epoch) {
  return OfKind(ItemKind::kEpochEnd, epoch);
}

// Takes what an op emits.
struct Emitted {
  explicit Emitted(std::size_t most = 10) : now(most), out(now, filled, most, later) {}
  std::vector<Unit> Take() {
    std::vector<Unit> units(std::make_move_iterator(now.begin()),
                            std::make_move_iterator(now.begin() + static_cast<std::ptrdiff_t>(filled)));
    for (; !later.empty(); later.PopFront()) units.push_back(std::move(later.front()));
    return units;
  }
  std::vector<Unit> now;
  std::size_t filled = 0;
  UnitQueue later;
  Emitter out;
};

class OpDriver {
 public:
  explicit OpDriver(OpLogic& op) : op_(op) {}

  // What came of the item, worked on.
  std::vector<Unit> Feed(Item item) {
    Emitted emitted;
    EXPECT_EQ(op_.Admit(item, emitted.out), OpLogic::Admission::kTaken);
    std::vector<Unit> units = emitted.Take();
    Work(units);
    return units;
  }
  std::vector<Unit> Finish() {
    Emitted emitted;
    op_.Finish(emitted.out);
    std::vector<Unit> units = emitted.Take();
    Work(units);
    return units;
  }
  // Of a source: the next units, `limit` at most; `supply` tells why there are not more.
  std::vector<Unit> Generate(std::size_t limit) {
    Emitted emitted(limit);
    supply = op_.Generate(emitted.out);
    std::vector<Unit> units = emitted.Take();
    Work(units);
    return units;
  }
  std::vector<Item> FeedAll(std::vector<Item> items) {
    std::vector<Item> results;
    for (Item& item : items) {
      for (Unit& unit : Feed(std::move(item))) results.push_back(std::move(unit.item));
    }
    for (Unit& unit : Finish()) results.push_back(std::move(unit.item));
    return results;
  }

  OpLogic::Supply supply = OpLogic::Supply::kMore;

 private:
  void Work(std::vector<Unit>& units) {
    for (Unit& unit : units) {
      const bool data = unit.item.kind == ItemKind::kRow || unit.item.kind == ItemKind::kBatch;
      if (data && unit.item.error() == nullptr) op_.Process(unit, context_);
      unit.rows.clear();
      unit.target.reset();
    }
  }
  OpLogic& op_;
  WorkerContext context_;
};

// Rows [first, last) and, where wanted, the mark behind them.
inline void AddRows(std::vector<Item>& items, std::uint64_t first, std::uint64_t last,
                    std::uint64_t epoch = 0) {
  for (std::uint64_t i = first; i < last; ++i) items.push_back(Row(i, epoch));
}
inline std::vector<std::uint64_t> IndicesOf(const std::vector<Item>& items) {
  std::vector<std::uint64_t> indices;
  for (const Item& item : items) {
    if (item.kind == ItemKind::kRow) indices.push_back(item.index);
  }
  return indices;
}
inline std::size_t Count(const std::vector<Item>& items, ItemKind kind) {
  std::size_t n = 0;
  for (const Item& item : items) n += item.kind == kind;
  return n;
}

}  // namespace sluice::runtime

#include "loop/taken_history.h"

#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using std::chrono::milliseconds;

// One item of ten rows every `step`.
TakenHistory Steady(int items, Nanos step) {
  TakenHistory history;
  for (int i = 1; i <= items; ++i) history.Note(MonoTime(i * step), 10);
  return history;
}

TEST(TakenHistory, CountsAllItemsUpToEachMark) {
  const TakenHistory history = Steady(9, milliseconds(20));
  ASSERT_EQ(history.marks().size(), 3u) << "at 20, 80 and 140 ms";
  EXPECT_EQ(history.marks()[1].at, MonoTime(milliseconds(80)));
  EXPECT_EQ(history.marks()[1].items, 4u);
  EXPECT_EQ(history.marks()[1].rows, 40u);
}

TEST(TakenHistory, KeepsEveryItemOfASlowRun) {
  EXPECT_EQ(Steady(100, milliseconds(300)).marks().size(), 100u);
}

TEST(TakenHistory, StaysSmallHoweverLongTheRunIs) {
  const TakenHistory history = Steady(20 * TakenHistory::kLimit, milliseconds(50));
  EXPECT_LT(history.marks().size(), TakenHistory::kLimit);
  EXPECT_GE(history.marks().size(), TakenHistory::kLimit / 4);
  for (std::size_t i = 1; i < history.marks().size(); ++i) {
    const exporters::TakenMark& mark = history.marks()[i];
    ASSERT_GT(mark.at, history.marks()[i - 1].at);
    ASSERT_EQ(mark.items, static_cast<std::uint64_t>(mark.at / milliseconds(50))) << "the rate is exact";
  }
}

}  // namespace
}  // namespace sluice::app

#include "sluice/ui/start_view.h"

#include <gtest/gtest.h>

namespace sluice::ui {
namespace {

StartList Of(std::size_t entries) {
  StartList list;
  for (std::size_t i = 0; i < entries; ++i) list.entries.push_back({.title = std::to_string(i)});
  return list;
}

const std::vector<StartList> kLists{Of(0), Of(3), Of(0), Of(2)};

TEST(StartPlace, BeginsWithTheFirstEntryThereIs) {
  for (const Action arrow : {Action::kNextOp, Action::kPreviousOp, Action::kNextTab, Action::kPreviousTab})
    EXPECT_EQ(MovedTo(kLists, {}, arrow), (StartPlace{1, 0}));
}

TEST(StartPlace, GoesAllAroundInItsListAndPassesEmptyOnes) {
  EXPECT_EQ(MovedTo(kLists, StartPlace{1, 0}, Action::kNextOp), (StartPlace{1, 1}));
  EXPECT_EQ(MovedTo(kLists, StartPlace{1, 0}, Action::kPreviousOp), (StartPlace{1, 2}));
  EXPECT_EQ(MovedTo(kLists, StartPlace{1, 2}, Action::kNextOp), (StartPlace{1, 0}));
  EXPECT_EQ(MovedTo(kLists, StartPlace{1, 2}, Action::kNextTab), (StartPlace{3, 1})) << "shorter";
  EXPECT_EQ(MovedTo(kLists, StartPlace{3, 1}, Action::kNextTab), (StartPlace{1, 1}));
  EXPECT_EQ(MovedTo(kLists, StartPlace{1, 1}, Action::kPreviousTab), (StartPlace{3, 1}));
  EXPECT_EQ(MovedTo({Of(2)}, StartPlace{0, 1}, Action::kNextTab), (StartPlace{0, 1}));
}

TEST(StartPlace, SurvivesThatEntriesGo) {
  EXPECT_EQ(MovedTo({Of(0), Of(0)}, StartPlace{1, 2}, Action::kNextOp), std::nullopt);
  EXPECT_EQ(MovedTo({}, {}, Action::kNextOp), std::nullopt);
  EXPECT_EQ(MovedTo({Of(1)}, StartPlace{3, 5}, Action::kNextTab), (StartPlace{0, 0}));
  EXPECT_EQ(MovedTo({Of(2)}, StartPlace{0, 5}, Action::kPreviousOp), (StartPlace{0, 0}));
  EXPECT_EQ(EntryAt(kLists, StartPlace{1, 3}), nullptr);
  EXPECT_EQ(EntryAt(kLists, StartPlace{9, 0}), nullptr);
  EXPECT_EQ(EntryAt(kLists, {}), nullptr);
  EXPECT_EQ(EntryAt(kLists, StartPlace{3, 1})->title, "1");
}

}  // namespace
}  // namespace sluice::ui

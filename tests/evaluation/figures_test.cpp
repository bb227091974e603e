#include "sluice/evaluation/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace sluice::evaluation {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double Value(FigureId id, const Scores& scores) {
  return FigureOf(id).of(scores).value_or(-1);
}

TEST(Figures, HaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const Figure& figure : Figures()) keys.insert(figure.key);
  EXPECT_EQ(keys.size(), Figures().size());
}

TEST(Figures, ARunThatNeverArrivesIsAsBadAsCanBeWhereArrivingCounts) {
  Scores never;
  never.shifts = 1;
  never.names_limit = true;
  EXPECT_EQ(Value(FigureId::kT95Seconds, never), kNever);
  EXPECT_EQ(Value(FigureId::kChangesPerMinute, never), kNever);
  EXPECT_EQ(Value(FigureId::kFalseAlarmsPerHour, never), kNever);
  EXPECT_EQ(Value(FigureId::kShiftSeconds, never), kNever);
  EXPECT_EQ(Value(FigureId::kDiagnosed, never), 0);
}

TEST(Figures, AreMissingWhereThereIsNothingToMeasure) {
  EXPECT_FALSE(FigureOf(FigureId::kShiftSeconds).of({}));
  EXPECT_FALSE(FigureOf(FigureId::kMemoryShare).of({}));
  EXPECT_FALSE(FigureOf(FigureId::kDiagnosed).of({}));
}

TEST(Figures, LostShareIsOfTheTimeThatTheRunTook) {
  Scores scores;
  scores.lost = 6;
  scores.seconds = 120;
  EXPECT_DOUBLE_EQ(Value(FigureId::kLostShare, scores), 0.05);
}

TEST(Spread, HasMedianAndQuartilesInterpolated) {
  const auto spread = SpreadOf({4, 1, 3, 2});
  ASSERT_TRUE(spread);
  EXPECT_DOUBLE_EQ(spread->median, 2.5);
  EXPECT_DOUBLE_EQ(spread->low, 1.75);
  EXPECT_DOUBLE_EQ(spread->high, 3.25);
  EXPECT_DOUBLE_EQ(spread->least, 1);
  EXPECT_DOUBLE_EQ(spread->most, 4);
}

TEST(Spread, OfOneValueIsThatValue) {
  const auto spread = SpreadOf({7});
  EXPECT_DOUBLE_EQ(spread->low, 7);
  EXPECT_DOUBLE_EQ(spread->median, 7);
  EXPECT_DOUBLE_EQ(spread->high, 7);
}

TEST(Spread, TakesNeverAsGreaterThanAll) {
  EXPECT_DOUBLE_EQ(SpreadOf({kNever, 1, 2})->median, 2);
  EXPECT_EQ(SpreadOf({kNever, 1, kNever})->median, kNever);
  EXPECT_EQ(SpreadOf({1, 2, kNever, kNever})->median, kNever);
  EXPECT_DOUBLE_EQ(SpreadOf({1, 2, 3, 4, kNever})->high, 4);
}

TEST(Spread, LeavesOutSeedsToWhichAFigureDoesNotApply) {
  Scores with, without;
  with.memory_share = 0.5;
  const std::vector<Scores> seeds = {with, without};
  EXPECT_DOUBLE_EQ(SpreadOf(FigureId::kMemoryShare, seeds)->median, 0.5);
  EXPECT_FALSE(SpreadOf(FigureId::kMemoryShare, std::vector<Scores>{without}));
}

}  // namespace
}  // namespace sluice::evaluation

#include "stretches.h"

#include <gtest/gtest.h>

#include "evaluation/written_runs.h"

namespace sluice::evaluation::testing {
namespace {

std::vector<Stretch> Cut(const Written& run, const simulator::SimScenario& scenario = Work()) {
  return StretchesOf(scenario, run.record(), simulator::Optima(scenario));
}

std::vector<double> Ends(const Stretch& stretch) {
  std::vector<double> ends;
  ends.reserve(stretch.windows.size());
  for (const ShareWindow& window : stretch.windows) ends.push_back(std::round(window.to * 10) / 10);
  return ends;
}

TEST(Stretches, EndAtTheFirstTickAfterAnEvent) {
  const auto stretches = Cut(Written().For(10, 100).For(10, 50), Work({{9.9, 2}}));
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_DOUBLE_EQ(stretches[0].to, 10);
  EXPECT_DOUBLE_EQ(stretches[1].from, 10);
  EXPECT_DOUBLE_EQ(stretches[1].to, 20);
  EXPECT_NEAR(stretches[1].windows[0].share, 1, 1e-9);
}

TEST(Windows, LastASecondAtLeastAndHoldFiftyItems) {
  EXPECT_EQ(Ends(Cut(Written().For(3, 100)).front()), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(Ends(Cut(Written().For(6, 25)).front()), (std::vector<double>{2, 4, 6}));
}

TEST(Windows, EndWithoutItemsAfterTenTimesWhatTheOptimumNeeds) {
  const auto windows = Cut(Written().For(1, 100).For(0.2, 20).For(19.8, 0)).front().windows;
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_DOUBLE_EQ(windows[1].to, 11);
  EXPECT_NEAR(windows[1].share, 0.004, 1e-9);
  EXPECT_DOUBLE_EQ(windows[2].share, 0);
}

TEST(Windows, LeftOverAtTheEndCountOnlyWhereTheOptimumWouldHaveFilledThem) {
  EXPECT_EQ(Ends(Cut(Written().For(2, 100).For(0.8, 5)).front()), (std::vector<double>{1, 2}));
  EXPECT_EQ(Ends(Cut(Written().For(2, 100).For(1.2, 5)).front()), (std::vector<double>{1, 2, 3.2}));
}

// An epoch of 100 items takes one second, and the consumer pauses for one after each.
TEST(Windows, HoldWholeEpochsWhereTheConsumerPausesBetweenThem) {
  simulator::SimScenario scenario = Work();
  scenario.ops[0].count = 100;
  scenario.pause = std::chrono::seconds(1);
  Written run;
  for (int epoch = 0; epoch < 3; ++epoch) run.For(1, 100).For(1, 0);
  const auto stretch = Cut(run, scenario).front();
  EXPECT_EQ(Ends(stretch), (std::vector<double>{1, 3, 5}));
  EXPECT_NEAR(stretch.windows[1].share, 1, 1e-9);
}

TEST(Windows, LeaveOutTheRestOfAnEpochAfterAnEvent) {
  simulator::SimScenario scenario = Work({{5, 1}});
  scenario.ops[0].count = 100;
  scenario.pause = std::chrono::milliseconds(1);
  const auto stretches = Cut(Written().For(5, 70).For(5, 100), scenario);
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_EQ(Ends(stretches[1]).front(), 7.6);
}

TEST(Windows, KnowTheCoresUsedInThem) {
  const auto windows = Cut(Written().For(1, 100, 2).For(1, 100, 0.5)).front().windows;
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_NEAR(windows[0].core_seconds, 2, 1e-9);
  EXPECT_NEAR(windows[1].core_seconds, 0.5, 1e-9);
}

}  // namespace
}  // namespace sluice::evaluation::testing

#include "mindspore_rules.h"

#include <gtest/gtest.h>

namespace sluice::baselines {
namespace {

constexpr KnobId kQueue{KnobKind::kCapacity, 0};

std::int64_t Only(const std::vector<Wish>& wishes, KnobId knob) {
  return wishes.size() == 1 && wishes[0].knob == knob ? wishes[0].to : -1;
}

// Capacity 16, one worker, factor 0.8, final queue 50 % full: 16 -> 12 -> 9; then it is 48 % full, below
// 0.5 * 0.98 = 0.49: back to 12 and never again. The next queue, 3 with two workers: 0.8 * 3 = 2.4 -> 2, the
// floor.
TEST(MindSporeMemoryPhase, ShrinksOneQueueUntilTheFinalOneSuffersThenTakesThatStepBack) {
  MindSporeMemoryPhase phase({{0, 16, 1}, {1, 3, 2}}, 0.8);
  EXPECT_EQ(Only(phase.Round(0.50), kQueue), 12);
  EXPECT_EQ(Only(phase.Round(0.50), kQueue), 9);
  EXPECT_EQ(Only(phase.Round(0.48), kQueue), 12);
  EXPECT_EQ(Only(phase.Round(0.50), {KnobKind::kCapacity, 1}), 2);
  EXPECT_FALSE(phase.done());
  EXPECT_TRUE(phase.Round(0.50).empty());
  EXPECT_TRUE(phase.done());
}

TEST(MindSporeMemoryPhase, HalvesInEpochModeAndToleratesTwoPercent) {
  MindSporeMemoryPhase phase({{0, 16, 4}}, 0.5);
  EXPECT_EQ(Only(phase.Round(0.500), kQueue), 8);
  EXPECT_EQ(Only(phase.Round(0.491), kQueue), 4);
  EXPECT_TRUE(phase.Round(0.491).empty());
  EXPECT_TRUE(phase.done());
}

TEST(MindSporeTimePhase, NeverGoesBeyondTheHardwareThreadsNorTheLongestQueue) {
  MindSporeOp op{.in_fill = 1, .out_fill = 0, .cpu_per_worker = 0.9, .workers = 7, .capacity = 126};
  EXPECT_EQ(Only(TimePhase(op, 8), {KnobKind::kWorkers, 0}), 8);
  op.workers = 12;
  EXPECT_TRUE(TimePhase(op, 8).empty());
  op = {.in_fill = 0.1, .out_fill = 0.1, .cpu_per_worker = 0.1, .workers = 7, .capacity = 126};
  EXPECT_EQ(Only(TimePhase(op, 8), kQueue), 128);
}

TEST(MindSporeTimePhase, MakesAQueueAtLeastAsLongAsItsOpHasWorkers) {
  const MindSporeOp op{.in_fill = 0.1, .out_fill = 0.1, .cpu_per_worker = 0.1, .workers = 7, .capacity = 2};
  EXPECT_EQ(Only(TimePhase(op, 8), kQueue), 7);
}

}  // namespace
}  // namespace sluice::baselines

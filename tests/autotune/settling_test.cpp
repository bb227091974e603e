#include "experiment/settling.h"

#include <gtest/gtest.h>

#include "autotune/tuning.h"

namespace sluice::autotune {
namespace {

Interval Tick(double items, double consumed, double seconds = 0.1) {
  Interval i;
  i.state = Cleanliness::kClean;
  i.seconds = seconds;
  i.ops.resize(1);
  i.ops[0].items = items;
  i.consumer_items = consumed;
  i.consumer_busy = seconds;
  return i;
}

TEST(Settling, WaitsForItemsAndNotForTime) {
  Settling settling(50, 0, {});
  settling.Add(Tick(20, 1));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(20, 1));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(20, 1));
  EXPECT_TRUE(settling.done());
}

TEST(Settling, WaitsForTheBatchThatWasUnderWay) {
  Settling settling(1, 0, {});
  settling.Add(Tick(100, 0));
  EXPECT_FALSE(settling.done());
  settling.Add(Tick(100, 1));
  EXPECT_TRUE(settling.done());
}

TEST(Settling, HasAFloorAndACapInTime) {
  Settling fast(1, 0, {});
  fast.Add(Tick(100, 10, 0.05));
  EXPECT_FALSE(fast.done());
  Settling endless(1e9, 0, {});
  endless.Add(Tick(1, 0, 3.1));
  EXPECT_TRUE(endless.done());
}

// So many workers are counted; so much of their time was at work.
Interval Starting(double counted, double at_work) {
  Interval i = Tick(100, 10, 1);
  i.length = 1;
  i.ops[0].workers = counted;
  i.ops[0].busy = at_work;
  return i;
}

TEST(Settling, WaitsForWorkersThatAreCountedAndDoNothingYet) {
  Settling settling(1, 0, {});
  settling.Add(Starting(8, 1));
  settling.Add(Starting(8, 4));
  EXPECT_FALSE(settling.done());
  settling.Add(Starting(8, 7.5));
  EXPECT_TRUE(settling.done());
}

TEST(Settling, CountsThoseThatWaitAsThere) {
  Settling settling(1, 0, {});
  Interval interval = Starting(8, 1);
  interval.ops[0].starved = 3;
  interval.ops[0].backed_up = 4;
  settling.Add(interval);
  EXPECT_TRUE(settling.done());
}

TEST(Settling, WaitsNotForEverAndNotWhereNoTimesAreKnown) {
  Settling never(1, 0, {});
  for (int second = 0; second < 29; ++second) never.Add(Starting(8, 1));
  EXPECT_FALSE(never.done());
  for (int second = 0; second < 3; ++second) never.Add(Starting(8, 1));
  EXPECT_TRUE(never.done());
  Settling untimed(1, 0, {});
  untimed.Add(Starting(8, 0));
  EXPECT_TRUE(untimed.done());
}

// Workers take two seconds to start: until then nothing tells what more of them give.
TEST(Settling, IsWhatATrialWaitsForWhereWorkersTakeLongToStart) {
  using testing::Fixed;
  using testing::Line;
  using testing::Tuning;
  using namespace std::chrono_literals;
  Tuning tuning(
      Line({{.name = "fetch", .burn = Fixed(100us), .wait = Fixed(20ms), .capacity = 64, .startup = 2s}},
           {.cores = 16, .step = 1ms}));
  tuning.RunUntil([&] { return !tuning.decisions().empty() && tuning.decisions().back().id != 0; }, 20s);
  const Nanos asked = tuning.now();
  tuning.RunUntil([&] { return !tuning.outcomes().empty(); }, 20s);
  ASSERT_FALSE(tuning.outcomes().empty());
  EXPECT_GE(tuning.now() - asked, 2s) << tuning.Trace();
}

}  // namespace
}  // namespace sluice::autotune

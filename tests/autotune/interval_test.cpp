#include "observe/interval.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

using std::chrono::milliseconds;

std::shared_ptr<const Graph> OneOp() {
  static const auto kGraph = std::make_shared<const Graph>(
      Graph{{{.name = "decode", .kind = "map"}}, {{"decode->consumer", OpId(0), std::nullopt}}});
  return kGraph;
}

Snapshot At(Nanos at, std::uint64_t items, Nanos busy) {
  Snapshot seen;
  seen.at = at;
  seen.graph = OneOp();
  seen.ops.resize(1);
  seen.ops[0].items = items;
  seen.ops[0].busy = busy;
  seen.connectors.resize(1);
  seen.consumer.items = items;
  seen.budget.cores = 4;
  return seen;
}

TEST(Interval, FallsBackToBusyTimeWhereCpuTimeIsMissing) {
  const Interval i =
      Between(At(milliseconds(0), 0, milliseconds(0)), At(milliseconds(100), 10, milliseconds(80)));
  EXPECT_EQ(i.state, Cleanliness::kClean);
  EXPECT_NEAR(i.ops[0].cpu, 0.080, 1e-9);
  EXPECT_EQ(i.ops[0].wait, 0);
}

TEST(Interval, CountsAsWaitOnlyWhatNeitherRunsNorWaitsForACore) {
  Snapshot a = At(milliseconds(0), 0, milliseconds(0));
  Snapshot b = At(milliseconds(100), 10, milliseconds(80));
  a.ops[0].on_cpu = a.ops[0].runnable = Nanos(0);
  b.ops[0].on_cpu = milliseconds(30);
  b.ops[0].runnable = milliseconds(20);
  EXPECT_NEAR(Between(a, b).ops[0].wait, 0.030, 1e-9);
}

// Off-CPU time on a full machine is most likely the queue for a core; taken for I/O it would call for more
// and more workers.
TEST(Interval, DoesNotMistakeAFullMachineForIo) {
  Snapshot a = At(milliseconds(0), 0, milliseconds(0));
  Snapshot b = At(milliseconds(100), 10, milliseconds(800));
  a.ops[0].on_cpu = Nanos(0);
  b.ops[0].on_cpu = milliseconds(390);
  EXPECT_EQ(Between(a, b).ops[0].wait, 0);
  b.ops[0].on_cpu = milliseconds(100);
  EXPECT_NEAR(Between(a, b).ops[0].wait, 0.7, 1e-9);
}

// A loader that is read for 60 ms in every 200: the trainer trains in between, which is none of its doing.
TEST(Interval, LeavesOutTheTimeInWhichTheConsumerAsksForNothing) {
  Snapshot a = At(milliseconds(0), 0, milliseconds(0));
  Snapshot b = At(milliseconds(200), 30, milliseconds(50));
  a.consumer.busy = b.consumer.busy = milliseconds(10);
  b.consumer.busy += milliseconds(20);
  b.consumer.starved = milliseconds(40);
  b.process_cpu = milliseconds(200);
  const Interval i = Between(a, b);
  EXPECT_NEAR(i.seconds, 0.060, 1e-9);
  EXPECT_NEAR(i.process_cpu, 0.060, 1e-9);
  b.consumer.busy = b.consumer.starved = a.consumer.busy = Nanos(0);
  EXPECT_NEAR(Between(a, b).seconds, 0.200, 1e-9) << "a consumer without clocks";
}

TEST(Interval, TheFirstItemOfAllIsTakenBeforeAnyStepIsDone) {
  EXPECT_EQ(Between(At(milliseconds(0), 0, Nanos(0)), At(milliseconds(100), 10, Nanos(0))).consumer_steps, 9);
  EXPECT_EQ(Between(At(milliseconds(0), 5, Nanos(0)), At(milliseconds(100), 10, Nanos(0))).consumer_steps, 5);
  EXPECT_EQ(Between(At(milliseconds(0), 0, Nanos(0)), At(milliseconds(100), 0, Nanos(0))).consumer_steps, 0);
}

TEST(Interval, LeavesOutTheWaitForAnEpochsFirstItem) {
  Snapshot a = At(milliseconds(0), 0, milliseconds(0));
  Snapshot b = At(milliseconds(200), 30, milliseconds(50));
  b.consumer.busy = milliseconds(20);
  b.consumer.starved = milliseconds(180);
  b.consumer.starting = milliseconds(150);
  b.process_cpu = milliseconds(100);
  const Interval i = Between(a, b);
  EXPECT_NEAR(i.consumer_starved, 0.030, 1e-9);
  EXPECT_NEAR(i.seconds, 0.050, 1e-9);
  EXPECT_NEAR(i.process_cpu, 0.025, 1e-9);
}

TEST(Interval, KnowsHowManyCpusNobodyUsed) {
  Snapshot a = At(milliseconds(0), 0, milliseconds(0));
  Snapshot b = At(milliseconds(200), 10, milliseconds(50));
  EXPECT_FALSE(Between(a, b).idle) << "not measured";
  a.idle = milliseconds(1000);
  b.idle = milliseconds(1300);
  EXPECT_NEAR(Between(a, b).idle.value(), 1.5, 1e-9);
}

TEST(Interval, SaysWhyItIsNotClean) {
  const Snapshot a = At(milliseconds(0), 5, milliseconds(5));
  Snapshot b = At(milliseconds(100), 10, milliseconds(80));
  EXPECT_EQ(Between(b, a).state, Cleanliness::kBroken);
  b.epoch = 1;
  EXPECT_EQ(Between(a, b).state, Cleanliness::kEpochTurn);
  b.knobs.push_back({});
  EXPECT_EQ(Between(a, b).state, Cleanliness::kResized);
  EXPECT_EQ(Between(a, At(milliseconds(100), 5, milliseconds(5))).state, Cleanliness::kPaused);
  EXPECT_EQ(Between(a, At(milliseconds(100), 4, milliseconds(5))).state, Cleanliness::kBroken);
  b.graph = std::make_shared<const Graph>(*OneOp());
  EXPECT_EQ(Between(a, b).state, Cleanliness::kBroken);
}

TEST(Interval, TellsWhoseNumberOfWorkersChanged) {
  Snapshot a = At(milliseconds(0), 5, milliseconds(5));
  Snapshot b = At(milliseconds(100), 10, milliseconds(80));
  a.knobs.resize(2);
  a.knobs[0].id = {KnobKind::kCapacity, 0};
  a.knobs[1].id = {KnobKind::kWorkers, 0};
  b.knobs = a.knobs;
  ++b.ops[0].workers;
  EXPECT_FALSE(Between(a, b).ops[0].resized) << "as when workers start again with an epoch";
  ++b.knobs[0].value;
  EXPECT_FALSE(Between(a, b).ops[0].resized) << "another capacity";
  ++b.knobs[1].value;
  EXPECT_TRUE(Between(a, b).ops[0].resized);
}

}  // namespace
}  // namespace sluice::autotune

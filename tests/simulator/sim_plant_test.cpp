#include "sluice/simulator/sim_plant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "simulator/scenarios.h"

namespace sluice::simulator::testing {
namespace {

SimScenario Busy() {
  SimScenario s = Rows();
  s.ops[0].allocate = {1000};
  Waits(s, "fetch", Lognormal(4ms, 1)).workers = 6;
  Burns(s, "decode", Exponential(2ms)).workers = 4;
  s.ops[2].allocate = {5000};
  Batches(s, 8);
  s.consumer.step = Lognormal(5ms, 0.2);
  s.machine.noise = 0.1;
  s.machine.meter_noise = 0.05;
  return s;
}

std::string Digest(const Snapshot& seen) {
  std::string digest;
  for (const OpReading& op : seen.ops) {
    for (const auto n : {static_cast<std::int64_t>(op.items), op.busy.count(), op.starved.count(),
                         op.backed_up.count(), op.on_cpu->count(), op.runnable->count()}) {
      digest += std::to_string(n) + " ";
    }
  }
  return digest + std::to_string(seen.consumer.starved.count());
}

TEST(SimPlant, RepeatsItselfForASeedAndDiffersForAnother) {
  const auto run = [](std::uint64_t seed) {
    SimPlant plant(Busy(), seed);
    (void)RunFor(plant, 2s);
    plant.Act(Change(KnobKind::kWorkers, 2, 6));
    return Digest(RunFor(plant, 5s));
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

TEST(SimPlant, DoesNotDependOnHowOftenSomebodyLooks) {
  SimScenario s = Busy();
  s.machine.meter_noise = 0;
  SimPlant often(s);
  SimPlant seldom(s);
  seldom.set_tick(2s);
  const Snapshot a = RunFor(often, 4s);
  (void)seldom.Sense();
  const Snapshot b = seldom.Sense();
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    EXPECT_EQ(a.ops[i].items, b.ops[i].items);
    EXPECT_NEAR(Seconds(a.ops[i].busy), Seconds(b.ops[i].busy), 1e-6);
  }
  EXPECT_EQ(a.consumer.items, b.consumer.items);
}

// The n-th item of an op costs the same whatever the settings are.
TEST(SimPlant, GivesItemsTheSameTimesWhateverTheWorkersAre) {
  const auto busy_after = [](int workers) {
    SimScenario s = Rows(300);
    s.epochs = 1;
    Waits(s, "fetch", Lognormal(4ms, 1)).workers = workers;
    SimPlant plant(s);
    const Snapshot seen = RunFor(plant, 4s);
    EXPECT_TRUE(seen.finished);
    return seen.ops[1].busy;
  };
  EXPECT_NEAR(Seconds(busy_after(1)), Seconds(busy_after(7)), 1e-6);
}

TEST(SimPlant, LosesAndDoublesNoItem) {
  SimPlant plant(Busy());
  for (int tick = 0; tick < 30; ++tick) {
    if (tick % 5 == 0) plant.Act(Change(KnobKind::kWorkers, 1 + tick / 5 % 2, 1 + tick % 7));
    if (tick % 5 == 2) plant.Act(Change(KnobKind::kCapacity, tick / 5 % 3, 1 + tick % 11));
    const Snapshot seen = plant.Sense();
    for (std::size_t i = 0; i < seen.ops.size(); ++i) {
      EXPECT_EQ(seen.ops[i].items, seen.connectors[i].pushed);
      EXPECT_EQ(seen.connectors[i].pushed, seen.connectors[i].popped + seen.connectors[i].depth);
      EXPECT_EQ(std::accumulate(seen.ops[i].latency.begin(), seen.ops[i].latency.end(), std::uint64_t{0}),
                seen.ops[i].items);
    }
    EXPECT_EQ(seen.consumer.items, seen.connectors[3].popped);
    EXPECT_EQ(seen.consumer.rows, 8 * seen.consumer.items);
    EXPECT_LE(8 * seen.ops[3].items, seen.connectors[2].popped);
    EXPECT_GE(8 * seen.ops[3].items + 16, seen.connectors[2].popped);
  }
}

TEST(SimPlant, SplitsEveryWorkersTimeIntoBusyStarvedAndBackedUp) {
  SimScenario exact = Busy();
  exact.machine.meter_noise = 0;
  SimPlant quiet(exact);
  const Snapshot seen = RunFor(quiet, 10s);
  for (std::size_t i = 0; i < seen.ops.size(); ++i) {
    const OpReading& op = seen.ops[i];
    EXPECT_NEAR(Seconds(op.busy + op.starved + op.backed_up), 10.0 * op.workers, 1e-6) << i;
    EXPECT_LE(*op.on_cpu + *op.runnable, op.busy + Nanos(10)) << i;
  }
  EXPECT_NEAR(Seconds(seen.consumer.busy + seen.consumer.starved), 10.0, 1e-6);
  EXPECT_GT(Seconds(seen.ops[0].backed_up), 5);
}

TEST(SimPlant, CountsTheBytesThatAreHeld) {
  SimScenario s = Rows();
  s.ops[0].allocate = {1000};
  s.ops[0].capacity = 4;
  SimOp& slow = Waits(s, "slow", Fixed(1s));
  slow.workers = 2;
  slow.allocate = {5000};
  SimPlant plant(s);
  const Snapshot seen = plant.Sense();
  // Two rows in the making hold input and output; four wait.
  EXPECT_EQ(seen.buffered, Bytes{2 * 6000 + 4 * 1000});
  EXPECT_EQ(seen.connectors[0].bytes, Bytes{4000});
  EXPECT_EQ(seen.buffered_peak, seen.buffered);
}

TEST(SimPlant, PutsAKnobInForceALittleAfterItIsAsked) {
  SimScenario s = Busy();
  SimPlant plant(s);
  (void)plant.Sense();
  plant.Act(Change(KnobKind::kWorkers, 2, 9));
  EXPECT_EQ(plant.Truth().workers[2], 4);
  const Snapshot seen = plant.Sense();
  EXPECT_EQ(seen.ops[2].workers, 9);
  const auto knob = std::ranges::find(seen.knobs, KnobId{KnobKind::kWorkers, 2}, &Knob::id);
  ASSERT_NE(knob, seen.knobs.end());
  EXPECT_EQ(knob->name, "decode.workers");
  EXPECT_EQ(knob->value, 9);
  EXPECT_EQ(knob->generation, 1u);
}

TEST(SimPlant, KeepsToBoundsAndToWhatTheUserHolds) {
  SimScenario s = Busy();
  s.ops[2].max_workers = 8;
  s.ops[1].pin_workers = true;
  SimPlant plant(s);
  plant.Act(Change(KnobKind::kWorkers, 2, 99));
  plant.Act(Change(KnobKind::kWorkers, 1, 2));
  Decision advice = Change(KnobKind::kCapacity, 1, 99);
  advice.advice = true;
  plant.Act(advice);
  (void)plant.Sense();
  EXPECT_THAT(plant.Truth().workers, ::testing::ElementsAre(1, 6, 8, 1));
  EXPECT_EQ(plant.Truth().capacity[1], 16);
  plant.Act(Change(KnobKind::kWorkers, 2, 3, Author::kUser));
  (void)plant.Sense();
  plant.Act(Change(KnobKind::kWorkers, 2, 7));
  (void)plant.Sense();
  EXPECT_EQ(plant.Truth().workers[2], 3);
}

TEST(SimPlant, LetsAWorkerThatIsTooManyFinishItsItem) {
  SimScenario s = Rows();
  Waits(s, "slow", Fixed(500ms)).workers = 4;
  SimPlant plant(s);
  (void)plant.Sense();
  plant.Act(Change(KnobKind::kWorkers, 1, 1));
  EXPECT_EQ(plant.Sense().ops[1].workers, 4);
  const Snapshot later = RunFor(plant, 400ms);
  EXPECT_EQ(later.ops[1].workers, 1);
  EXPECT_EQ(later.ops[1].items, 4u);
}

TEST(SimPlant, LetsWorkersTakeItemsOnlyWhenTheyHaveStarted) {
  SimScenario s = Rows();
  Waits(s, "slow", Fixed(10ms)).startup = 2s;
  SimPlant plant(s);
  const auto items_in = [&](Nanos time, std::uint64_t before) {
    return static_cast<int>(RunFor(plant, time).ops[1].items - before);
  };
  EXPECT_EQ(items_in(2s, 0), 0);
  EXPECT_NEAR(items_in(2s, 0), 200, 1);
  plant.Act(Change(KnobKind::kWorkers, 1, 4));
  EXPECT_NEAR(items_in(2s, 200), 200, 1);
  EXPECT_NEAR(items_in(2s, 400), 800, 4);
}

TEST(SimPlant, StartsNoMoreWorkersThanAreStillWanted) {
  SimScenario s = Rows();
  Waits(s, "slow", Fixed(10ms)).startup = 2s;
  SimPlant plant(s);
  (void)RunFor(plant, 2s);
  plant.Act(Change(KnobKind::kWorkers, 1, 8));
  (void)RunFor(plant, 1s);
  plant.Act(Change(KnobKind::kWorkers, 1, 2));
  const Snapshot before = RunFor(plant, 2s);
  const Snapshot after = RunFor(plant, 2s);
  EXPECT_NEAR(static_cast<double>(after.ops[1].items - before.ops[1].items), 400, 2);
}

// A slow first item holds those behind it back, where they have to be in order.
TEST(SimPlant, KeepsTheOrderUnlessItMayNot) {
  const auto rate = [](bool ordered) {
    SimScenario s = Rows();
    SimOp& op = Waits(s, "uneven", Lognormal(10ms, 3));
    op.workers = 8;
    op.capacity = 1;
    op.ordered = ordered;
    return MeasuredRate(s, 5s, 100s);
  };
  EXPECT_NEAR(rate(false), 800, 40);
  EXPECT_LT(rate(true), 600);
}

TEST(SimPlant, MeasuresWithErrorsThatDoNotAddUp) {
  SimScenario s = Rows();
  Waits(s, "op", Fixed(1ms));
  s.machine.meter_noise = 0.3;
  SimPlant plant(s);
  Nanos before{0};
  for (int tick = 0; tick < 1000; ++tick) {
    const Nanos busy = plant.Sense().ops[1].busy;
    EXPECT_GE(busy, before);
    before = busy;
  }
  EXPECT_NEAR(Seconds(before), 200, 6);
}

TEST(SimPlant, MakesSpeedsNoisyButNotSlowerOnAverage) {
  SimScenario s = Rows();
  Waits(s, "op", Fixed(1ms));
  s.machine.noise = 0.3;
  EXPECT_NEAR(MeasuredRate(s, 1s, 2000s), 1000, 12);
}

}  // namespace
}  // namespace sluice::simulator::testing

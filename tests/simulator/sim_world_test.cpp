// What surrounds the pipeline: memory, epochs, events, ranks, nodes, locks, storage.
#include <gtest/gtest.h>

#include "simulator/scenarios.h"

namespace sluice::simulator::testing {
namespace {

SimScenario Hungry() {
  SimScenario s = Rows();
  SimOp& load = Waits(s, "load", Fixed(10ms));
  load.allocate = {1'000'000};
  load.workers = 4;
  load.capacity = 8;
  s.consumer.step = Fixed(20ms);
  s.machine.memory = {20'000'000};
  s.machine.restart = 5s;
  return s;
}

TEST(SimMemory, KillsTheRunBeyondTheLimitAndStartsItAgainAsItWas) {
  SimPlant plant(Hungry());
  (void)RunFor(plant, 2s);
  EXPECT_EQ(plant.Truth().ooms, 0);
  plant.Act(Change(KnobKind::kCapacity, 1, 100));
  (void)RunFor(plant, 3s);
  const SimTruth killed = plant.Truth();
  EXPECT_EQ(killed.ooms, 1);
  EXPECT_TRUE(killed.down);
  EXPECT_GT(killed.buffered_peak, Bytes{20'000'000});
  EXPECT_EQ(killed.buffered, Bytes{0});
  EXPECT_GT(killed.lost, 10u);
  (void)RunFor(plant, 6s);
  const SimTruth again = plant.Truth();
  EXPECT_FALSE(again.down);
  EXPECT_EQ(again.capacity[1], 8);
  EXPECT_GT(again.items, killed.items + 100);
  EXPECT_EQ(again.ooms, 1);
}

// Two of eight cores are computed on; from the second second on somebody else takes five.
TEST(SimMachine, TellsHowManyCoresIdle) {
  SimScenario s = Rows();
  SimOp& decode = Burns(s, "decode", Fixed(10ms));
  decode.workers = 2;
  s.machine.cores = 8;
  s.events = {{.at = 1s, .neighbour = 5}};
  SimPlant plant(s);
  const Snapshot start = RunFor(plant, 200ms);
  const Snapshot before = RunFor(plant, 800ms);
  const Snapshot after = RunFor(plant, 1s);
  ASSERT_TRUE(start.idle && before.idle && after.idle);
  EXPECT_NEAR(Seconds(*before.idle - *start.idle), 0.8 * 6, 0.1);
  EXPECT_NEAR(Seconds(*after.idle - *before.idle), 1, 0.1);
}

TEST(SimMemory, LetsWorkersStartAnewAfterTheRunWasKilled) {
  SimScenario s = Hungry();
  s.ops[1].startup = 2s;
  s.ops[1].capacity = 100;
  SimPlant plant(s);
  (void)RunFor(plant, 4s);
  ASSERT_EQ(plant.Truth().ooms, 1);
  const std::uint64_t killed = plant.Truth().items;
  (void)RunFor(plant, 5s);
  EXPECT_FALSE(plant.Truth().down);
  EXPECT_EQ(plant.Truth().items, killed);
  (void)RunFor(plant, 2s);
  EXPECT_GT(plant.Truth().items, killed);
}

// A bit for each op and the consumer does not fit into one word, nor into four.
TEST(SimPlant, HasRoomForTwoHundredFiftySixOps) {
  SimScenario s = Rows();
  while (s.ops.size() < 255) Add(s, "op" + std::to_string(s.ops.size()));
  Waits(s, "last", Fixed(10ms));
  EXPECT_NEAR(MeasuredRate(s, 1s, 10s), 100, 1);
}

// One in ten takes 20 ms x 10 / 1.9, the others a tenth of that: in two sizes, and 20 ms on average.
TEST(DearRows, AreSuchAShareAndLeaveTheMeanAlone) {
  SimScenario s = Rows();
  SimOp& op = Waits(s, "op", Fixed(20ms));
  op.dear_share = 0.1;
  op.dear_factor = 10;
  EXPECT_NEAR(MeasuredRate(s, 1s, 1000s), 50, 2);
  SimPlant plant(s);
  const Snapshot seen = RunFor(plant, 200s);
  std::vector<double> shares;
  for (const std::uint64_t count : seen.ops[1].latency) {
    if (count > 0) shares.push_back(static_cast<double>(count) / static_cast<double>(seen.ops[1].items));
  }
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_NEAR(shares[1], 0.1, 0.01);
}

// 100 rows of 10 ms come before the first one goes on; an epoch loses none, and the next one fills it anew.
TEST(Shuffle, LetsNothingGoBeforeItIsFullAndKeepsNothingBack) {
  SimScenario s = Rows(150);
  Waits(s, "read", Fixed(10ms));
  SimOp& shuffle = Add(s, "shuffle");
  shuffle.kind = SimKind::kShuffle;
  shuffle.serial = true;
  shuffle.buffer = 100;
  s.ops[0].allocate = {1000};
  s.epochs = 2;
  SimPlant plant(s);
  Snapshot seen = RunFor(plant, 1s);
  EXPECT_EQ(seen.consumer.items, 0u);
  EXPECT_GE(seen.buffered, Bytes{95'000});
  seen = RunFor(plant, 400ms);
  EXPECT_GT(seen.consumer.items, 30u);
  EXPECT_LT(seen.consumer.items, 45u);
  seen = RunFor(plant, 200ms);
  EXPECT_EQ(seen.consumer.items, 150u) << "the epoch has ended";
  EXPECT_LE(seen.epoch, 1u);
  seen = RunFor(plant, 2s);
  EXPECT_TRUE(seen.finished);
  EXPECT_EQ(seen.consumer.items, 300u);
}

TEST(Shuffle, LosesWhatItHoldsWhenTheRunIsKilled) {
  SimScenario s = Rows();
  s.ops[0].allocate = {1'000'000};
  Waits(s, "read", Fixed(10ms));
  SimOp& shuffle = Add(s, "shuffle");
  shuffle.kind = SimKind::kShuffle;
  shuffle.serial = true;
  shuffle.buffer = 100;
  s.machine.memory = {60'000'000};
  SimPlant plant(s);
  (void)RunFor(plant, 2s);
  EXPECT_EQ(plant.Truth().ooms, 1);
  EXPECT_GE(plant.Truth().lost, 50u);
  EXPECT_EQ(plant.Truth().buffered, Bytes{0});
}

// Two ranks on two cores: the other one takes twice as long for an item.
TEST(Load, OfARankMakesItSlowerAndTheOptimumIsThatOfTheFirst) {
  SimScenario s = Rows();
  Burns(s, "op", Fixed(10ms)).workers = 4;
  s.machine.cores = 2;
  s.machine.ranks = 2;
  s.machine.load = {2, 1};
  EXPECT_NEAR(MeasuredRate(s, 1s, 20s), 50, 1);
  EXPECT_NEAR(OptimumAt(s, Nanos(0)).rate.per_second, 50, 1);
  s.machine.load = {1, 2};
  EXPECT_NEAR(MeasuredRate(s, 1s, 20s), 100, 1);
}

// The consumers take 10 items per second: the second rank needs 0.1 of the cores, the first one up to 1.9.
TEST(Load, LeavesOthersWhatARankDoesNotNeed) {
  SimScenario s = Rows();
  Burns(s, "op", Fixed(10ms)).workers = 8;
  s.consumer.step = Fixed(100ms);
  s.machine.cores = 2;
  s.machine.ranks = 2;
  s.machine.load = {100, 1};
  const Optimum optimum = OptimumAt(s, Nanos(0));
  EXPECT_NEAR(optimum.rate.per_second, 1.9, 0.01);
  EXPECT_EQ(optimum.limit, Limit::kCores);
  EXPECT_NEAR(MeasuredRate(s, 20s, 200s), 1.9, 0.05);
}

TEST(SimMemory, TellsTheControllerItsBudget) {
  SimScenario s = Hungry();
  EXPECT_EQ(SimPlant(s).Sense().budget.memory, Bytes{5'000'000});
  s.memory = {7'000'000};
  EXPECT_EQ(SimPlant(s).Sense().budget.memory, Bytes{7'000'000});
}

TEST(SimEpochs, DeliverEveryRowOnceAndFinish) {
  for (const bool ordered : {true, false}) {
    for (const bool drain : {true, false}) {
      SimScenario s = Rows(103);
      s.epochs = 3;
      s.drain = drain;
      SimOp& op = Waits(s, "op", Lognormal(5ms, 1));
      op.workers = 5;
      op.ordered = ordered;
      Batches(s, 10);
      SimPlant plant(s);
      const Snapshot seen = RunFor(plant, 10s);
      EXPECT_TRUE(seen.finished);
      EXPECT_EQ(seen.epoch, 3u);
      EXPECT_EQ(seen.consumer.rows, 309u);
      EXPECT_EQ(seen.consumer.items, 33u);  // the last batch of an epoch has three rows
      EXPECT_EQ(seen.buffered, Bytes{0});
    }
  }
}

TEST(SimEpochs, LeaveTheLastBatchOutWhereItIsNotWanted) {
  SimScenario s = Rows(103);
  s.ops[0].allocate = {10};
  s.epochs = 2;
  Waits(s, "op", Fixed(1ms));
  Batches(s, 10).drop_remainder = true;
  SimPlant plant(s);
  const Snapshot seen = RunFor(plant, 5s);
  EXPECT_TRUE(seen.finished);
  EXPECT_EQ(seen.consumer.items, 20u);
  EXPECT_EQ(seen.ops[2].items, 20u);
  EXPECT_EQ(seen.buffered, Bytes{0});
}

// 100 rows of 10 ms, then nothing for a second: where it drains the next epoch starts with an empty pipeline.
TEST(SimEpochs, DrainAndPause) {
  SimScenario s = Rows(100);
  SimOp& op = Waits(s, "op", Fixed(10ms));
  op.capacity = 64;
  op.max_workers = 1;
  s.pause = 1s;
  s.drain = true;
  EXPECT_NEAR(MeasuredRate(s, 20s, 200s), OptimumAt(s, Nanos(0)).rate.per_second, 1);
  SimPlant plant(s);
  const Snapshot paused = RunFor(plant, 1600ms);
  EXPECT_EQ(paused.ops[0].items, 100u);
  EXPECT_EQ(paused.epoch, 1u);
  EXPECT_NEAR(Seconds(paused.consumer.starved), 1, 0.02);  // the pause is neither busy nor starved
  s.drain = false;
  SimPlant other(s);
  EXPECT_GT(RunFor(other, 1600ms).ops[0].items, 150u);
}

TEST(SimEvents, ChangeCostsCoresAndDemand) {
  SimScenario s = Rows();
  SimOp& op = Burns(s, "op", Fixed(4ms));
  op.workers = 16;
  op.capacity = 2;
  s.consumer.step = Fixed(400us);
  s.events = {{.at = 10s, .op = 1, .cost = 0.5},
              {.at = 20s, .cores = 4},
              {.at = 30s, .neighbour = 3},
              {.at = 40s, .step = 100}};
  SimPlant plant(s);
  std::vector<Snapshot> seen = {Snapshot{}};
  for (int stretch = 0; stretch < 5; ++stretch) seen.push_back(RunFor(plant, 10s));
  const std::vector<Optimum> optima = Optima(s);
  for (std::size_t i = 0; i < optima.size(); ++i) {
    const double rate = static_cast<double>(seen[i + 1].consumer.items - seen[i].consumer.items) / 10;
    EXPECT_NEAR(rate, optima[i].rate.per_second, 0.02 * optima[i].rate.per_second + 2) << i;
  }
  EXPECT_EQ(seen[2].budget.cores, 8);
  EXPECT_EQ(seen[3].budget.cores, 4);
  EXPECT_EQ(seen[4].budget.cores, 4);  // nobody tells of the neighbour
}

TEST(SimRanks, ShareCoresAndEachIsToldItsPart) {
  SimScenario s = Rows();
  s.machine.ranks = 4;
  SimOp& op = Burns(s, "op", Exponential(4ms));
  op.workers = 8;
  op.capacity = 64;
  const double rate = MeasuredRate(s, 2s, 60s);
  EXPECT_NEAR(rate, 8 / 0.004 / 4, 10);
  SimPlant plant(s);
  const Snapshot seen = RunFor(plant, 10s);
  EXPECT_EQ(seen.budget.cores, 2);
  EXPECT_NEAR(plant.Truth().core_seconds, 80, 0.5);
  EXPECT_NEAR(Seconds(seen.process_cpu), 20, 0.5);
}

TEST(SimNodes, MakeWorkOnRemoteItemsDearerUnlessOpsAreBound) {
  SimScenario s = Rows();
  s.machine.nodes = 2;
  s.machine.remote_penalty = 2;
  s.machine.placement = true;
  Burns(s, "a", Exponential(2ms)).workers = 2;
  Burns(s, "b", Exponential(2ms)).workers = 4;
  SimPlant plant(s);
  const auto cost = [&] {
    const Snapshot before = plant.Sense();
    const Snapshot after = RunFor(plant, 60s);
    return Seconds(*after.ops[2].on_cpu - *before.ops[2].on_cpu) /
           static_cast<double>(after.ops[2].items - before.ops[2].items);
  };
  EXPECT_NEAR(cost(), 0.003, 0.0003);
  plant.Act(Change(KnobKind::kPlacement, 1, 1));
  plant.Act(Change(KnobKind::kPlacement, 2, 1));
  (void)RunFor(plant, 1s);
  EXPECT_NEAR(cost(), 0.002, 0.0001);
  plant.Act(Change(KnobKind::kPlacement, 2, 2));
  (void)RunFor(plant, 1s);
  EXPECT_NEAR(cost(), 0.004, 0.0001);
}

TEST(SimLock, LetsOneOpComputeAtATimeAndShowsTheOthersAsWaiting) {
  SimScenario s = Rows();
  for (const char* name : {"a", "b"}) {
    SimOp& op = Burns(s, name, Fixed(2ms));
    op.gil = true;
    op.workers = 4;
  }
  SimPlant plant(s);
  const Snapshot seen = RunFor(plant, 20s);
  EXPECT_NEAR(Seconds(seen.process_cpu), 20, 0.1);
  EXPECT_NEAR(static_cast<double>(seen.consumer.items), 20 / 0.004, 30);
  EXPECT_GT(Seconds(seen.ops[1].busy - *seen.ops[1].on_cpu - *seen.ops[1].runnable), 10);
}

TEST(SimStorage, IsSharedByAllReads) {
  SimScenario s = Rows();
  SimOp& read = Add(s, "read");
  read.read = {1'000'000};
  read.read_cv = 0.5;
  s.storage.bandwidth = {100'000'000};
  s.storage.parallelism = {0.25, 0.5, 0.75, 1.0};
  for (const auto& [workers, rate] :
       {std::pair{1, 25.0}, std::pair{2, 50.0}, std::pair{4, 100.0}, std::pair{9, 100.0}}) {
    s.ops[1].workers = workers;
    EXPECT_NEAR(MeasuredRate(s, 5s, 400s), rate, 0.03 * rate) << workers;
  }
}

TEST(SimContention, SlowsWorkersDownAsTheTableSays) {
  SimScenario s = Rows();
  Waits(s, "demux", Fixed(10ms)).contention.table = {1, 1, 1.3, 2.3, 4.5, 6.7, 10.8, 15};
  for (const auto& [workers, rate] : {std::pair{1, 100.0}, std::pair{3, 230.8}, std::pair{8, 53.3}}) {
    s.ops[1].workers = workers;
    EXPECT_NEAR(MeasuredRate(s, 5s, 100s), rate, 0.02 * rate) << workers;
  }
}

TEST(SimShards, LeaveWorkersBeyondTheirNumberStarved) {
  SimScenario s = Rows();
  SimOp& op = Waits(s, "read", Fixed(10ms));
  op.workers = 5;
  op.shards = 2;
  SimPlant plant(s);
  const Snapshot seen = RunFor(plant, 10s);
  EXPECT_NEAR(static_cast<double>(seen.ops[1].items), 2000, 5);
  EXPECT_NEAR(Seconds(seen.ops[1].starved), 30, 0.1);
}

// Two sources one after the other, zipped with a third.
TEST(SimGraph, JoinsItsInputs) {
  SimScenario s = Rows(60);
  s.epochs = 2;
  SimOp& more = Add(s, "more");
  more.kind = SimKind::kRange;
  more.count = 40;
  SimOp& both = Add(s, "both");
  both.kind = SimKind::kConcat;
  both.inputs = {0, 1};
  SimOp& captions = Add(s, "captions");
  captions.kind = SimKind::kRange;
  captions.count = 100;
  SimOp& pairs = Add(s, "pairs");
  pairs.kind = SimKind::kZip;
  pairs.inputs = {2, 3};
  pairs.wait = Fixed(5ms);
  pairs.workers = 3;
  SimPlant plant(s);
  const Snapshot seen = RunFor(plant, 3s);
  EXPECT_TRUE(seen.finished);
  EXPECT_EQ(seen.consumer.items, 200u);
  EXPECT_EQ(seen.ops[0].items, 120u);
  EXPECT_EQ(seen.ops[1].items, 80u);
  EXPECT_EQ(seen.ops[3].items, 200u);
  const Graph& graph = *seen.graph;
  EXPECT_EQ(graph.connectors[1].name, "more->both");
  EXPECT_EQ(graph.connectors[3].to, OpId(4));
  EXPECT_EQ(graph.connectors[4].to, std::nullopt);
}

}  // namespace
}  // namespace sluice::simulator::testing

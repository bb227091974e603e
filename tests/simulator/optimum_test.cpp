// Cases worked out by hand.
#include "sluice/simulator/optimum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fluid.h"
#include "simulator/scenarios.h"

namespace sluice::simulator::testing {
namespace {

using ::testing::ElementsAre;

Optimum At0(const SimScenario& s) {
  return OptimumAt(s, Nanos(0));
}

// 8 cores over 1 + 3 ms.
TEST(Optimum, IsTheCoresOverTheWorkOfAnItem) {
  SimScenario s = Rows();
  Burns(s, "a", Fixed(1ms));
  Burns(s, "b", Fixed(3ms));
  const Optimum o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 2000, 1e-6);
  EXPECT_EQ(o.limit, Limit::kCores);
  EXPECT_THAT(o.workers, ElementsAre(1, 2, 6));
  EXPECT_NEAR(o.cores, 8, 1e-6);
}

// A consumer of 10 ms takes 100 batches of 16: 1600 rows per second of 2 ms each, 3.2 cores.
TEST(Optimum, StopsAtTheConsumersDemandAndNeedsNoMoreCoresThanThat) {
  SimScenario s = Rows();
  Burns(s, "decode", Fixed(2ms));
  Batches(s, 16);
  s.consumer.step = Fixed(10ms);
  const Optimum o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 100, 1e-9);
  EXPECT_EQ(o.limit, Limit::kConsumer);
  EXPECT_THAT(o.workers, ElementsAre(1, 4, 1));
  EXPECT_NEAR(o.cores, 3.2, 1e-9);
}

// 2000 rows per second by the cores; the consumer takes 2 or 6 % more.
TEST(Optimum, NamesAllCeilingsThatNobodyCanTellApart) {
  const auto near_beside = [](std::chrono::nanoseconds step) {
    SimScenario s = Rows();
    Burns(s, "a", Fixed(4ms));
    s.consumer.step = Fixed(step);
    std::vector<Limit> limits;
    for (const Bound& bound : At0(s).near) {
      if (std::ranges::find(limits, bound.limit) == limits.end()) limits.push_back(bound.limit);
    }
    return limits;
  };
  EXPECT_THAT(near_beside(490us), ::testing::UnorderedElementsAre(Limit::kConsumer, Limit::kCores));
  EXPECT_THAT(near_beside(470us), ElementsAre(Limit::kCores));
}

TEST(Optimum, CountsTheConsumersOwnCpuTime) {
  SimScenario s = Rows();
  s.machine.cores = 1;
  Burns(s, "a", Fixed(3ms));
  s.consumer.burn = Fixed(1ms);
  const Optimum o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 250, 1e-6);
  EXPECT_EQ(o.limit, Limit::kCores);
}

TEST(Optimum, NamesTheSerialOp) {
  SimScenario s = Rows();
  Burns(s, "parse", Fixed(100us));
  Waits(s, "lookup", Fixed(2ms)).serial = true;
  const Optimum o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 500, 1e-6);
  EXPECT_EQ(o.limit, Limit::kSerialOp);
  EXPECT_EQ(o.op, 2u);
}

TEST(Optimum, KnowsShardsBoundsAndPinnedWorkers) {
  const auto rate = [](auto change) {
    SimScenario s = Rows();
    Waits(s, "fetch", Fixed(10ms));
    change(s.ops[1]);
    const Optimum o = At0(s);
    EXPECT_EQ(o.limit, Limit::kOp);
    EXPECT_EQ(o.op, 1u);
    return o.rate.per_second;
  };
  EXPECT_NEAR(rate([](SimOp& op) { op.shards = 3; }), 300, 1e-6);
  EXPECT_NEAR(rate([](SimOp& op) { op.max_workers = 5; }), 500, 1e-6);
  EXPECT_NEAR(rate([](SimOp& op) { op.workers = 2, op.pin_workers = true; }), 200, 1e-6);
}

// 1 + 2 ms of each row under the lock, the wait outside of it.
TEST(Optimum, RunsWhatIsUnderOneLockOneAtATime) {
  SimScenario s = Rows();
  Burns(s, "a", Fixed(1ms)).gil = true;
  Burns(s, "b", Fixed(2ms)).gil = true;
  s.ops[2].wait = Fixed(5ms);
  const Optimum o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 1000.0 / 3, 1e-6);
  EXPECT_EQ(o.limit, Limit::kSerialOp);
  EXPECT_EQ(o.op, 2u);
}

// The table of SPDL's demux stage: n / (10 ms x slowdown) is 100, 200, 231, 174, ...
TEST(Optimum, StopsAddingWorkersWhereTheyMakeItSlower) {
  SimScenario s = Rows();
  SimOp& demux = Waits(s, "demux", Fixed(10ms));
  demux.contention.table = {1, 1, 1.3, 2.3, 4.5, 6.7, 10.8, 15};
  demux.max_workers = 8;
  const Optimum o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 3 / 0.013, 1e-6);
  EXPECT_EQ(o.limit, Limit::kContention);
  EXPECT_THAT(o.workers, ElementsAre(1, 3));
}

// 100 MB/s; two reads at once reach 80 % of it, three all.
TEST(Optimum, IsTheStoragesBandwidthWithJustEnoughReads) {
  SimScenario s = Rows();
  Add(s, "read").read = Bytes{1'000'000};
  s.storage.bandwidth = {100'000'000};
  s.storage.parallelism = {0.5, 0.8, 1.0};
  Optimum o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 100, 1e-6);
  EXPECT_EQ(o.limit, Limit::kStorage);
  EXPECT_THAT(o.workers, ElementsAre(1, 3));
  s.consumer.step = Fixed(20ms);  // 50 per second: one read at a time is just enough
  o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 50, 1e-6);
  EXPECT_EQ(o.limit, Limit::kConsumer);
  EXPECT_THAT(o.workers, ElementsAre(1, 1));
}

TEST(Optimum, CountsRequestsToo) {
  SimScenario s = Rows();
  Add(s, "read").requests = 4;
  s.storage.request_rate = 1000;
  EXPECT_NEAR(At0(s).rate.per_second, 250, 1e-6);
}

// Rows of 10 MB, each waiting 100 ms. With n workers and the least capacity n rows may exist: 100 MB are 10
// workers.
TEST(Optimum, KeepsWithinTheMemory) {
  SimScenario s = Rows();
  SimOp& load = Waits(s, "load", Fixed(100ms));
  load.allocate = {10'000'000};
  load.max_workers = 64;
  s.memory = {100'000'000};
  const Optimum o = At0(s);
  EXPECT_EQ(o.limit, Limit::kMemory);
  EXPECT_NEAR(o.rate.per_second, 100, 1e-5);
  EXPECT_THAT(o.workers, ElementsAre(1, 10));
  EXPECT_LE(o.bytes, s.memory);
}

TEST(ReachableOptima, AreTheFluidOnesWhereMemoryIsPlentyOrTimesDoNotVary) {
  SimScenario s = Rows();
  Waits(s, "load", Fixed(100ms)).allocate = {10'000'000};
  EXPECT_EQ(ReachableOptima(s)[0].rate, Optima(s)[0].rate);
  EXPECT_TRUE(ReachableOptima(s)[0].capacity.empty());
  s.memory = {100'000'000};
  EXPECT_NEAR(ReachableOptima(s)[0].rate.per_second, 100, 1);
}

TEST(Optimum, GivesEveryRankItsPartOfTheHost) {
  SimScenario s = Rows();
  Burns(s, "a", Fixed(2ms));
  s.machine.ranks = 4;
  EXPECT_NEAR(At0(s).rate.per_second, 1000, 1e-6);
  SimScenario reads = Rows();
  Add(reads, "read").read = Bytes{1'000'000};
  reads.storage.bandwidth = {100'000'000};
  reads.machine.ranks = 4;
  EXPECT_NEAR(At0(reads).rate.per_second, 25, 1e-6);
}

// Without binding half of the second op's work is on the other node: 2 + 2 x 1.5 ms on 8 cores. Both ops on
// one node avoid that, but have 4 cores only: worth it when remote memory is slow enough.
TEST(Optimum, PaysForRemoteMemoryWhatCannotBeAvoided) {
  SimScenario s = Rows();
  Burns(s, "a", Fixed(2ms));
  Burns(s, "b", Fixed(2ms));
  s.machine.nodes = 2;
  s.machine.remote_penalty = 2;
  EXPECT_NEAR(At0(s).rate.per_second, 8 / 0.005, 1e-6);
  s.machine.placement = true;
  EXPECT_NEAR(At0(s).rate.per_second, 8 / 0.005, 1e-6);
  s.machine.remote_penalty = 6;
  EXPECT_NEAR(At0(s).rate.per_second, 4 / 0.004, 1e-6);
}

// 100 rows of 1 ms and 300 rows of 3 ms per epoch on 8 cores: 100/8000 + 300/2667 s for 400 rows.
TEST(Optimum, TakesTheInputsOfAConcatInTurn) {
  SimScenario s = Rows(100);
  Burns(s, "light", Fixed(1ms));
  SimOp& more = Add(s, "more");
  more.kind = SimKind::kRange;
  more.count = 300;
  Burns(s, "heavy", Fixed(3ms));
  SimOp& both = Add(s, "both");
  both.kind = SimKind::kConcat;
  both.inputs = {1, 3};
  const Optimum o = At0(s);
  EXPECT_NEAR(o.rate.per_second, 400 / (100 * 0.001 / 8 + 300 * 0.003 / 8), 1e-4);
  EXPECT_EQ(o.workers[1], 8);
  EXPECT_EQ(o.workers[3], 8);
}

TEST(Optimum, NeedsAllInputsOfAZip) {
  SimScenario s = Rows(1000);
  Burns(s, "image", Fixed(3ms));
  SimOp& captions = Add(s, "captions");
  captions.kind = SimKind::kRange;
  captions.count = 1000;
  Burns(s, "text", Fixed(1ms));
  SimOp& pairs = Add(s, "pairs");
  pairs.kind = SimKind::kZip;
  pairs.inputs = {1, 3};
  EXPECT_NEAR(At0(s).rate.per_second, 2000, 1e-4);
  EXPECT_THAT(SimVisits(s), ElementsAre(1, 1, 1, 1, 1));
}

TEST(Optimum, CountsAnEpochsPause) {
  SimScenario s = Rows(100);
  Waits(s, "fetch", Fixed(10ms)).max_workers = 1;
  s.pause = 1s;
  s.drain = true;
  EXPECT_NEAR(At0(s).rate.per_second, 100 / 2.0, 1e-6);
  s.drain = false;  // the pipeline fills up meanwhile
  EXPECT_NEAR(At0(s).rate.per_second, 100, 1e-6);
}

TEST(Optimum, FollowsTheEvents) {
  SimScenario s = Rows();
  Burns(s, "a", Fixed(2ms));
  s.consumer.step = Fixed(400us);
  s.events = {{.at = 10s, .op = 1, .cost = 2},
              {.at = 20s, .cores = 4},
              {.at = 30s, .neighbour = 2},
              {.at = 40s, .step = 10}};
  std::vector<double> rates;
  std::vector<Limit> limits;
  for (const Optimum& o : Optima(s)) {
    rates.push_back(std::round(o.rate.per_second));
    limits.push_back(o.limit);
  }
  EXPECT_THAT(rates, ElementsAre(2500, 2000, 1000, 500, 250));
  EXPECT_THAT(limits,
              ElementsAre(Limit::kConsumer, Limit::kCores, Limit::kCores, Limit::kCores, Limit::kConsumer));
}

// What brute force finds over all counts of workers of three contended ops on few cores: never more than the
// optimum, and no less than whole workers cost.
TEST(Optimum, IsNotBeatenByAnyCountOfWorkersWhereOpsContend) {
  SimScenario s = Rows();
  s.machine.cores = 6;
  Burns(s, "a", Fixed(2ms)).contention = {0.1, 0.02, {}};
  Burns(s, "b", Fixed(1ms)).contention = {0.0, 0.1, {}};
  Waits(s, "c", Fixed(3ms)).contention = {0.05, 0.01, {}};
  const Optimum o = At0(s);
  double best = 0;
  for (int a = 1; a <= 12; ++a) {
    for (int b = 1; b <= 12; ++b) {
      for (int c = 1; c <= 12; ++c) {
        const double sa = 0.002 * Slowdown(s.ops[1].contention, a);
        const double sb = 0.001 * Slowdown(s.ops[2].contention, b);
        const double sc = 0.003 * Slowdown(s.ops[3].contention, c);
        best = std::max(best, std::min({a / sa, b / sb, c / sc, 6 / (sa + sb)}));
      }
    }
  }
  EXPECT_GE(o.rate.per_second, best * (1 - 1e-9));
  EXPECT_LE(o.rate.per_second, best * 1.1);
}

}  // namespace
}  // namespace sluice::simulator::testing

#include "estimate/estimates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::autotune {
namespace {

// 100 ms in which one op made `items`, each with `cpu` and `wait` seconds.
Interval Made(double items, double cpu, double wait = 0) {
  Interval i;
  i.state = Cleanliness::kClean;
  i.seconds = 0.1;
  OpInterval op;
  op.workers = 1;
  op.items = items;
  op.bytes = items * 1000;
  op.cpu = items * cpu;
  op.wait = items * wait;
  op.busy = op.cpu + op.wait;
  op.starved = 0.1 - op.busy;
  op.latency[20] = static_cast<std::uint64_t>(items);
  i.ops = {op, {}};
  i.consumer_items = items;
  return i;
}

// The op is a map: something stands before it.
Graph Lone() {
  return {.ops = {{.name = "decode", .kind = "map"}, {.name = "read", .kind = "source"}},
          .connectors = {{"read->decode", OpId(1), OpId(0)}}};
}

Graph Source() {
  return {.ops = {{.name = "read", .kind = "source"}}, .connectors = {{"read->", OpId(0), std::nullopt}}};
}

PipelineEstimate After(const std::vector<Interval>& intervals) {
  Estimates estimates(Lone(), {});
  for (const Interval& i : intervals) estimates.Add(i, true);
  return estimates.Get({1.0, 1.0});
}

TEST(Estimates, TellComputingFromWaiting) {
  const auto all = After({Made(10, 0.001, 0.004)});
  EXPECT_NEAR(all.ops[0].cpu, 0.001, 1e-9);
  EXPECT_NEAR(all.ops[0].wait, 0.004, 1e-9);
  EXPECT_NEAR(all.ops[0].utilisation, 0.5, 1e-9);
  EXPECT_NEAR(all.ops[0].bytes, 1000, 1e-9);
}

TEST(Estimates, TakeWhatUnfinishedItemsHaveCostForTheLeastTheyDo) {
  Interval begun = Made(0, 0);
  begun.ops[0].workers = 2;
  begun.ops[0].busy = begun.ops[0].cpu = 0.2;
  EXPECT_NEAR(After({begun}).ops[0].cpu, 0.1, 1e-9);
  EXPECT_EQ(After({begun}).ops[0].items, 0);
}

// Items of 100 ms, counted when they are done: in one look eight workers have begun, in the next they end.
TEST(Estimates, DoNotTakeItemsUnderWayForContention) {
  Interval begun = Made(4, 0.1);
  begun.ops[0].cpu = begun.ops[0].busy = 0.8;
  begun.ops[0].workers = 8;
  Interval ended = Made(8, 0.1);
  ended.ops[0].workers = 8;
  ended.ops[0].cpu = ended.ops[0].busy = 0.4;
  std::vector<Interval> looks;
  for (int i = 0; i < 20; ++i) looks.insert(looks.end(), {begun, ended});
  EXPECT_FALSE(After(looks).ops[0].curve.Contended());
}

// Another op sets the pace; whenever items happen to take longer, more workers are busy.
TEST(Estimates, LearnFromSaturatedWorkersOnlyWhatTheyDoToEachOther) {
  for (const double workers : {0.0, 16.0}) {
    std::vector<Interval> looks;
    for (int i = 0; i < 40; ++i) {
      Interval look = Made(40, i % 2 == 0 ? 0.005 : 0.02);
      look.ops[0].starved = std::max(0.0, 0.1 * workers - look.ops[0].busy);
      look.ops[0].workers = workers > 0 ? workers : look.ops[0].busy / 0.1;
      looks.push_back(look);
    }
    EXPECT_EQ(After(looks).ops[0].curve.Contended(), workers == 0);
  }
}

// Where a clock reads a third too much, the op seems to have a third more workers busy, all of them slow.
TEST(Estimates, CountTheWorkersAndDoNotTrustTheClocksForThat) {
  std::vector<Interval> looks;
  for (int i = 0; i < 40; ++i) {
    Interval look = Made(60, i % 2 == 0 ? 0.0033 : 0.0067);
    look.ops[0].workers = 3;
    look.ops[0].starved = 0;
    looks.push_back(look);
  }
  EXPECT_FALSE(After(looks).ops[0].curve.Contended());
}

TEST(Estimates, AreAlwaysThoseOfNow) {
  Estimates estimates(Lone(), {});
  estimates.Add(Made(10, 0.001), true);
  EXPECT_NEAR(estimates.Get({1.0, 1.0}).ops[0].items, 10, 1e-9);
  estimates.Add(Made(10, 0.003), true);
  EXPECT_NEAR(estimates.Get({1.0, 1.0}).ops[0].cpu, 0.002, 1e-4);
  estimates.Fade();
  EXPECT_LT(estimates.Get({1.0, 1.0}).ops[0].items, 1);
  EXPECT_EQ(estimates.Get({8.0, 1.0}).ops[0].visits, 8);
}

TEST(Estimates, BelieveAShiftWithinAFewSeconds) {
  std::vector<Interval> history(600, Made(10, 0.001));
  history.insert(history.end(), 60, Made(10, 0.003));
  EXPECT_GT(After(history).ops[0].cpu, 0.0025);
}

TEST(Estimates, DoNotForgetASlowOpBetweenItsItems) {
  std::vector<Interval> history{Made(20, 0.002)};
  history.insert(history.end(), 300, Made(0, 0));
  EXPECT_NEAR(After(history).ops[0].cpu, 0.002, 1e-9);
}

TEST(Estimates, TakeAConsumerWithoutStepTimeForEndlesslyFast) {
  EXPECT_TRUE(std::isinf(After({Made(10, 0.001)}).demand));
  Interval i = Made(10, 0.001);
  i.consumer_busy = 0.08;
  i.consumer_starved = 0.02;
  const auto all = After({i});
  EXPECT_NEAR(all.demand, 125, 1e-9);
  EXPECT_NEAR(all.starved, 0.2, 1e-9);
}

// Three batches are taken, and the consumer is in the middle of the third: two and a half steps of 32 ms.
TEST(Estimates, DoNotTakeTheFirstItemsOfAConsumerForFinishedSteps) {
  Interval i = Made(3, 0.001);
  i.consumer_steps = 2;
  i.consumer_busy = 0.08;
  EXPECT_NEAR(After({i}).demand, 25, 1e-9);
  i.consumer_items = 1;
  i.consumer_steps = 0;
  EXPECT_NEAR(After({i}).demand, 12.5, 1e-9) << "no more than that";
}

TEST(Estimates, ReadVariabilityFromTheHistogramAndFindNoneInAFixedTime) {
  EXPECT_NEAR(After({Made(10, 0.001)}).ops[0].variability, 0, 1e-9);
  Interval mixed = Made(10, 0.001);
  mixed.ops[0].latency[25] = 2;
  EXPECT_GT(After({mixed}).ops[0].variability, 1);
}

TEST(Estimates, ReadFromTheConsumersStepsHowMuchTheyVary) {
  Interval steps = Made(10, 0.001);
  steps.consumer_times[20] = 10;
  EXPECT_NEAR(After({steps}).consumer_variability, 0, 1e-9);
  steps.consumer_times[25] = 2;
  EXPECT_GT(After({steps}).consumer_variability, 1);
}

TEST(Estimates, CountCpuTimeOutsideOfTheOps) {
  Interval i = Made(10, 0.001);
  i.process_cpu = 0.015;
  EXPECT_NEAR(After({i}).other_cpu, 0.0005, 1e-9);
}

TEST(Estimates, KnowIdleCpusFromThoseIntervalsThatTell) {
  Interval tells = Made(10, 0.001);
  tells.idle = 1.5;
  EXPECT_FALSE(After({Made(10, 0.001)}).idle);
  EXPECT_NEAR(After({tells, Made(10, 0.001)}).idle.value(), 1.5, 1e-9);
}

// The consumer was there for a tenth of the time; workers computed all of it.
TEST(Estimates, CountNoMoreCoresThanThereAreWhileTheConsumerPauses) {
  Interval i = Made(10, 0.1);
  i.ops[0].busy = i.ops[0].cpu;
  i.length = i.seconds * 10;
  EXPECT_LE(After({i}).cores_used, i.ops[0].cpu / i.length + i.ops[1].cpu / i.length + 1e-9);
}

TEST(Estimates, LetNewConditionsWinAfterFading) {
  Estimates estimates(Lone(), {});
  for (int n = 0; n < 100; ++n) estimates.Add(Made(10, 0.001), true);
  estimates.Fade();
  for (int n = 0; n < 5; ++n) estimates.Add(Made(10, 0.004), true);
  EXPECT_GT(estimates.Get({1.0, 1.0}).ops[0].cpu, 0.0035);
}

Interval OfSource(double workers, double busy) {
  Interval i = Made(10, 0);
  i.ops.resize(1);
  i.ops[0].wait = i.ops[0].busy = 0.1 * busy;
  i.ops[0].starved = 0.1 * (workers - busy);
  return i;
}

TEST(Estimates, FindTheShardsOfASourceWhoseWorkersStarve) {
  Estimates estimates(Source(), {});
  for (int n = 0; n < 5; ++n) estimates.Add(OfSource(16, 2), true);
  EXPECT_EQ(estimates.Get({1.0}).ops[0].useful, 2);
  EXPECT_EQ(estimates.Get({1.0}).ops[0].regime, Regime::kSharded);
  for (int n = 0; n < 500; ++n) estimates.Add(OfSource(2, 2), true);
  EXPECT_EQ(estimates.Get({1.0}).ops[0].useful, 2) << "the shards are still as many";
  EXPECT_TRUE(std::isinf(After({Made(10, 0.001), Made(10, 0.001)}).ops[0].useful)) << "others wait for input";
}

// Two ops of which one alone uses 0.1 s of a core in 0.1 s, with twice the workers no more than before.
TEST(Estimates, FindTheLockUnderWhichOpsComputeInTurn) {
  Estimates estimates(Lone(), {});
  const auto add = [&](double workers, double items, double cpu) {
    Interval i = Made(items, cpu);
    i.ops[0].wait = 0.1 * workers - i.ops[0].cpu;
    i.ops[0].workers = workers;
    i.ops[0].busy = 0.1 * workers;
    i.ops[0].starved = 0;
    for (int n = 0; n < 20; ++n) estimates.Add(i, true);
  };
  add(1, 50, 0.001);
  EXPECT_TRUE(estimates.Get({1.0, 1.0}).locked.empty());
  estimates.Fade();
  add(8, 100, 0.001);
  EXPECT_EQ(estimates.Get({1.0, 1.0}).locked, std::vector<std::size_t>{0});
  EXPECT_EQ(estimates.Get({1.0, 1.0}).ops[0].regime, Regime::kLocked);
  estimates.Fade();
  add(8, 92, 0.001);
  EXPECT_EQ(estimates.Get({1.0, 1.0}).ops[0].regime, Regime::kLocked)
      << "less than twice as far from one core";
  estimates.Fade();
  add(8, 85, 0.001);
  EXPECT_NE(estimates.Get({1.0, 1.0}).ops[0].regime, Regime::kLocked);
  estimates.Fade();
  add(1, 100, 0.001);
  EXPECT_TRUE(estimates.Get({1.0, 1.0}).locked.empty()) << "one worker needs no lock for that";
}

// One worker waits 1 ms per item, fifteen get 3.6 times as many items as one.
PipelineEstimate Readers(bool read_nothing) {
  Graph graph = Lone();
  graph.ops[0].reads_nothing = read_nothing;
  Estimates estimates(graph, {});
  const auto add = [&](double workers, double items) {
    Interval i = Made(items, 0, 0.1 * workers / items);
    i.ops[0].workers = workers;
    i.ops[0].starved = 0;
    for (int n = 0; n < 20; ++n) estimates.Add(i, true);
  };
  add(1, 100);
  estimates.Fade();
  add(15, 360);
  return estimates.Get({1.0, 1.0});
}

TEST(Estimates, ExpectARooflineOfWhatMayWaitForStorageOnly) {
  const PipelineEstimate storage = Readers(false);
  EXPECT_EQ(storage.ops[0].regime, Regime::kStorage);
  EXPECT_EQ(storage.ops[0].curve.Peak(64), 4);
  const PipelineEstimate lock = Readers(true);
  EXPECT_EQ(lock.ops[0].regime, Regime::kContended);
  EXPECT_GT(lock.ops[0].curve.Peak(64), 6);
}

// For the last few seconds its items waited so long, after ones that waited as told first.
Regime RegimeAfter(const std::vector<double>& waits, bool reopened = false) {
  Estimates estimates(Lone(), {});
  for (const double wait : waits) {
    const Regime before = estimates.Get({1.0, 1.0}).ops[0].regime;
    if (reopened) estimates.Reopen();
    EXPECT_EQ(estimates.Get({1.0, 1.0}).ops[0].regime, before) << "until something is seen";
    for (int n = 0; n < 200; ++n) estimates.Add(Made(10, 0.001, wait), false);
  }
  return estimates.Get({1.0, 1.0}).ops[0].regime;
}

TEST(Estimates, KeepARegimeWhileHalfOfTheEvidenceForItStays) {
  EXPECT_EQ(RegimeAfter({}), Regime::kUnknown);
  EXPECT_EQ(RegimeAfter({0.0008}), Regime::kComputes);
  EXPECT_EQ(RegimeAfter({0.0012}), Regime::kWaits);
  EXPECT_EQ(RegimeAfter({0.0012, 0.0008}), Regime::kWaits);
  EXPECT_EQ(RegimeAfter({0.0012, 0.0004}), Regime::kComputes);
  EXPECT_EQ(RegimeAfter({0.0012, 0.0004, 0.0008}), Regime::kComputes);
  EXPECT_EQ(RegimeAfter({0.0012, 0.0008}, true), Regime::kComputes) << "other conditions: decided anew";
}

// Eight workers take 12 % longer than one, later 7 %.
TEST(Estimates, KeepContentionWhileHalfOfTheRiseStays) {
  Estimates estimates(Lone(), {});
  const auto add = [&](double workers, double slowdown, int times) {
    Interval i = Made(1000 * workers, 0.0001 * slowdown / workers);
    i.ops[0].workers = workers;
    i.ops[0].cpu = i.ops[0].busy = 0.1 * workers;
    i.ops[0].items = 1000 * workers / slowdown;
    i.ops[0].starved = 0;
    i.ops[0].latency[20] = static_cast<std::uint64_t>(i.ops[0].items);
    for (int n = 0; n < times; ++n) estimates.Add(i, true);
    return estimates.Get({1.0, 1.0}).ops[0].regime;
  };
  EXPECT_EQ(add(1, 1, 200), Regime::kComputes);
  EXPECT_EQ(add(8, 1.07, 200), Regime::kComputes);
  EXPECT_EQ(add(8, 1.12, 400), Regime::kContended);
  EXPECT_EQ(add(8, 1.07, 400), Regime::kContended);
  EXPECT_EQ(add(8, 1.02, 400), Regime::kComputes);
}

// Three times as slow with eight workers, it seems; then looks differ by a factor of two.
TEST(Estimates, GiveContentionUpOnceItTurnsOutToBeNoise) {
  Estimates estimates(Lone(), {});
  const auto look = [&](double workers, double service) {
    Interval i = Made(100, 0.1);
    i.ops[0].workers = workers;
    i.ops[0].cpu = i.ops[0].busy = 0.1 * workers;
    i.ops[0].items = 0.1 * workers / service;
    i.ops[0].starved = 0;
    estimates.Add(i, true);
    return estimates.Get({1.0, 1.0}).ops[0].regime;
  };
  look(1, 0.001);
  EXPECT_EQ(look(8, 0.003), Regime::kContended);
  Regime last = Regime::kUnknown;
  for (int n = 0; n < 10; ++n) {
    look(8, 0.002);
    last = look(8, 0.004);
  }
  EXPECT_EQ(last, Regime::kComputes);
}

TEST(Estimates, KnowASerialOpWhateverItDoes) {
  Graph graph = Lone();
  graph.ops[0].serial = true;
  Estimates estimates(graph, {});
  estimates.Add(Made(10, 0.001, 0.004), true);
  EXPECT_EQ(estimates.Get({1.0, 1.0}).ops[0].regime, Regime::kSerial);
}

// A batch of 64 rows of 1000 bytes each, of which none is finished yet, and what is made of it.
TEST(Estimates, TakeWhatIsNotFinishedForAsLargeAsWhatItIsMadeFrom) {
  const Graph graph = {.ops = {{.name = "read", .kind = "source"},
                               {.name = "batch", .kind = "batch", .rows_per_item = 64},
                               {.name = "move", .kind = "map"}},
                       .connectors = {{"read->batch", OpId(0), OpId(1)},
                                      {"batch->move", OpId(1), OpId(2)},
                                      {"move->", OpId(2), std::nullopt}}};
  Interval rows = Made(10, 0.001);
  rows.ops.resize(3);
  rows.ops[1].latency = rows.ops[2].latency = {};
  Estimates estimates(graph, {});
  estimates.Add(rows, true);
  const PipelineEstimate begun = estimates.Get({64, 1, 1});
  EXPECT_NEAR(begun.ops[1].bytes, 64'000, 1e-6);
  EXPECT_NEAR(begun.ops[2].bytes, 64'000, 1e-6);
  rows.ops[1].items = 1;
  rows.ops[1].bytes = 500;
  estimates.Add(rows, true);
  EXPECT_NEAR(estimates.Get({64, 1, 1}).ops[1].bytes, 500, 1e-6) << "it is known now";
}

TEST(Estimates, ZippedItemsAreAsLargeAsBothAndConcatenatedOnesAsTheLarger) {
  for (const bool zip : {true, false}) {
    const Graph graph = {.ops = {{.name = "a", .kind = "source"},
                                 {.name = "b", .kind = "source"},
                                 {.name = "both", .kind = zip ? "zip" : "concat"}},
                         .connectors = {{"a->both", OpId(0), OpId(2)}, {"b->both", OpId(1), OpId(2)}}};
    Interval rows = Made(10, 0.001);
    rows.ops = {rows.ops[0], rows.ops[0], {}};
    rows.ops[1].bytes *= 3;
    Estimates estimates(graph, {});
    estimates.Add(rows, true);
    EXPECT_NEAR(estimates.Get({1, 1, 1}).ops[2].bytes, zip ? 4000 : 3000, 1e-6);
  }
}

// Drawings of 1 KB pass for a minute after photos of 3 KB: what is planned meanwhile must hold photos as
// well.
TEST(Estimates, TakeItemsForAsLargeAsInThePhaseWhereTheyAreLargest) {
  for (const bool concat : {true, false}) {
    const Graph graph = {.ops = {{.name = "photos", .kind = "source"},
                                 {.name = "drawings", .kind = "source"},
                                 {.name = "all", .kind = concat ? "concat" : "zip"}},
                         .connectors = {{"photos->all", OpId(0), OpId(2)},
                                        {"drawings->all", OpId(1), OpId(2)},
                                        {"all->", OpId(2), std::nullopt}}};
    Interval small = Made(10, 0.001);
    small.ops = {{}, small.ops[0], small.ops[0]};
    Interval large = Made(10, 0.001);
    large.ops = {large.ops[0], {}, large.ops[0]};
    large.ops[2].bytes *= 3;
    Estimates estimates(graph, {});
    estimates.Add(large, true);
    for (int n = 0; n < 600; ++n) estimates.Add(small, true);
    estimates.Fade();
    estimates.Add(small, true);
    EXPECT_NEAR(estimates.Get({1, 1, 1}).ops[2].bytes, concat ? 3000 : 1000, 30);
    estimates.Reopen();
    estimates.Add(small, true);
    EXPECT_NEAR(estimates.Get({1, 1, 1}).ops[2].bytes, 1000, 30) << "other conditions, other items";
  }
}

TEST(Estimates, NoteWhetherItemsHaveOneSize) {
  EXPECT_TRUE(After({Made(10, 0.001), Made(20, 0.001)}).ops[0].even);
  Interval larger = Made(10, 0.001);
  larger.ops[0].bytes *= 1.2;
  EXPECT_FALSE(After({Made(10, 0.001), larger}).ops[0].even);
}

TEST(Estimates, DoNotTakeAShiftAtRestForContention) {
  Estimates estimates(Lone(), {});
  for (int n = 0; n < 50; ++n) estimates.Add(Made(10, 0.001), true);
  Interval dearer = Made(40, 0.006);
  for (int n = 0; n < 50; ++n) estimates.Add(dearer, false);
  EXPECT_FALSE(estimates.Get({1.0, 1.0}).ops[0].curve.Contended());
}

// Each item takes 0.8 s: one worker ends one in the last of eight intervals, sixteen end two in each.
TEST(Estimates, ItemsThatTakeLongerThanALookDoNotPassForContention) {
  Estimates estimates(Lone(), {});
  MonoTime now{0};
  for (const int workers : {1, 16}) {
    for (int i = 0; i < 80; ++i) {
      Interval look = Made(workers > 1 ? 2 : i % 8 == 7 ? 1 : 0, 0);
      look.at = now += std::chrono::milliseconds(100);
      look.ops[0].workers = workers;
      look.ops[0].busy = look.ops[0].wait = 0.1 * workers;
      estimates.Add(look, true);
    }
    now += std::chrono::seconds(3);  // settling
  }
  const auto all = estimates.Get({1.0, 1.0});
  EXPECT_FALSE(all.ops[0].curve.Contended());
  EXPECT_NEAR(all.ops[0].curve.Slowdown(16), 1, 0.05);
}

// Means of 30 and 40 ms, the second with a standard deviation as large.
TEST(LatestArrival, AwaitsTheSlowOnesAmongUnevenItems) {
  PipelineEstimate estimate;
  estimate.ops.resize(2);
  estimate.ops[0].cpu = 0.03;
  estimate.ops[1].wait = 0.04;
  EXPECT_NEAR(LatestArrival(estimate), 0.14, 1e-9);
  estimate.ops[1].variability = 1;
  EXPECT_NEAR(LatestArrival(estimate), 0.26, 1e-9);
}

// Fifty items of the new cost, after ten thousand of the old one.
TEST(Estimates, FadeToAFewItemsHoweverManyWereSeen) {
  Estimates estimates(Lone(), {});
  for (int i = 0; i < 20; ++i) estimates.Add(Made(500, 0.0002), false);
  estimates.Fade();
  estimates.Add(Made(50, 0.002), false);
  EXPECT_GT(estimates.Get({1, 1}).ops[0].cpu, 0.0018);
}

}  // namespace
}  // namespace sluice::autotune

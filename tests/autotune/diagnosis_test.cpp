#include "explain/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autotune/planned.h"
#include "explain/wording.h"
#include "sluice/base/machine_limits.h"

namespace sluice::autotune::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Verdict Say(const Planned& p, double rate, bool short_of_memory = false) {
  const Planner planner = p.planner();
  return Diagnose(
      {p.seen, p.estimate, planner, {.windows = 20, .mean = rate, .noise = 0.02}, short_of_memory},
      p.settings);
}

TEST(Diagnosis, NamesTheOpThatLimitsWithNumbersAndRemedy) {
  Planned p;
  p.estimate.demand = 800;
  const Verdict verdict = Say(p, 248);
  EXPECT_EQ(verdict.limit, Limit::kOp);
  EXPECT_EQ(verdict.op, 1u);
  EXPECT_EQ(verdict.sentence,
            "decode limits the run: 1 worker is busy 99% and makes 248 rows/s; the consumer could take 800 "
            "rows/s; "
            "give it 4 workers");
  EXPECT_GT(verdict.confidence.value, 0.9);
}

TEST(Diagnosis, SpeaksOfNoRateBeforeAnItemIsFinished) {
  Planned p;
  p.seen.ops[1].items = 0;
  p.estimate.demand = 800;
  EXPECT_THAT(Say(p, 248).sentence,
              HasSubstr("decode limits the run: 1 worker is busy 99% and has not finished an item yet; the"));
}

// What the model takes for a limit by cores is none while half of them stand idle.
TEST(Diagnosis, DoesNotBlameTheCoresWhileManyOfThemAreIdle) {
  Planned p;
  p.Workers(0).value = p.Workers(1).value = 16;
  p.estimate.cores_used = 8;
  EXPECT_EQ(Say(p, 1900).limit, Limit::kCores);
  p.estimate.cores_used = 4.5;
  EXPECT_EQ(Say(p, 1000).limit, Limit::kUnknown);
}

TEST(Diagnosis, SpeaksOfNoCoresWhereNobodyComputes) {
  Planned p;
  for (OpEstimate& op : p.estimate.ops) std::swap(op.cpu, op.wait);
  EXPECT_THAT(Say(p, 248).sentence, HasSubstr("makes 248 rows/s; nothing else is in its way; give it"));
}

TEST(Diagnosis, FindsTheConsumerWhereItDoesNotWait) {
  Planned p;
  p.Workers(1).value = 4;
  p.estimate.demand = 500;
  p.estimate.starved = 0.002;
  const Verdict verdict = Say(p, 500);
  EXPECT_EQ(verdict.limit, Limit::kConsumer);
  EXPECT_FALSE(verdict.op);
  EXPECT_THAT(verdict.sentence, HasSubstr("it takes 500 rows/s and waits 0.2% of its time"));
  EXPECT_THAT(Say(p, 700).sentence, HasSubstr("it takes 500 rows/s")) << "the rest fills buffers";
}

// The consumer has become twice as fast. It does not wait yet, because it empties the buffers first.
TEST(Diagnosis, NamesTheOpThatIsTooSlowBeforeTheBuffersHaveDrained) {
  Planned p;
  p.Workers(1).value = 2;
  p.estimate.demand = 1000;
  p.estimate.starved = 0.002;
  const Verdict verdict = Say(p, 500);
  EXPECT_EQ(verdict.limit, Limit::kOp);
  EXPECT_EQ(verdict.op, 1u);
  EXPECT_EQ(Say(p, 990).limit, Limit::kConsumer) << "it gets what it could take, whatever the model says";
}

TEST(Diagnosis, NamesTheCoresThatAreAllInUseBeforeTheBuffersHaveDrained) {
  Planned p;
  p.Workers(1).value = 8;
  p.estimate.demand = 2100;
  p.estimate.starved = 0.002;
  p.estimate.cores_used = 8;
  EXPECT_EQ(Say(p, 1950).limit, Limit::kCores);
  p.estimate.cores_used = 7;
  EXPECT_EQ(Say(p, 1950).limit, Limit::kConsumer) << "a demand so near may be noise";
}

// Workers queue for cores, and the run uses half of its budget.
struct Queueing : Planned {
  Queueing() {
    Workers(1).value = 4;
    estimate.demand = 500;
    estimate.starved = 0.1;
    estimate.cores_used = 4;
    estimate.queued = 2.5;
  }
};

TEST(Diagnosis, TellsOfOtherWorkThatTakesTheCores) {
  Queueing p;
  p.estimate.idle = 0.5;
  const Verdict verdict = Say(p, 450);
  EXPECT_EQ(verdict.limit, Limit::kCores);
  EXPECT_THAT(verdict.sentence, HasSubstr("other work on this machine limits the run: of 8 cores it gets 4"));
  EXPECT_THAT(verdict.sentence, HasSubstr("the consumer waits 10% of its time"));
}

TEST(Diagnosis, TellsOfItStillWhereNobodyOfOursWaitsForThem) {
  Planned p;
  p.Workers(1).value = 4;
  p.estimate.cores_used = 3.95;
  p.estimate.queued = 0.02;
  p.estimate.idle = 0.05;
  EXPECT_EQ(Say(p, 980).limit, Limit::kOp);
  p.estimate.taken = 4;
  const Verdict verdict = Say(p, 980);
  EXPECT_EQ(verdict.limit, Limit::kCores);
  EXPECT_THAT(verdict.sentence, HasSubstr("of 8 cores it gets 3.95 and 0.05 stand idle"));
  p.estimate.cores_used = 4;
  p.estimate.taken = 3.88;
  EXPECT_EQ(Say(p, 980).limit, Limit::kCores) << "one worker more would have next to nothing";
}

// `p` is in a pod that may use 2 of 16 CPUs and is held back in so many of its periods.
void Throttle(Planned& p, double share) {
  MachineLimits limits;
  limits.cpus = 16;
  limits.quotas = {{.group = "cgroup /pod",
                    .bound = {2, "cgroup /pod: cpu.max 200000 100000"},
                    .use = {},
                    .throttled_share = Fraction{share}}};
  p.seen.machine = std::make_shared<const MachineLimits>(limits);
}

TEST(Diagnosis, NamesTheQuotaThatHoldsTheRunBackAndNotTheCores) {
  Queueing p;
  p.estimate.idle = 3;
  Throttle(p, 0.3);
  const Verdict verdict = Say(p, 450);
  EXPECT_EQ(verdict.limit, Limit::kCores);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("throttled by the cgroup quota: 2.0 of 16 cores, in 30% of its periods (cgroup /pod: "
                        "cpu.max 200000 100000); 450 rows/s"));
  EXPECT_THAT(verdict.sentence, HasSubstr("raise the quota"));
  Throttle(p, 0.01);
  EXPECT_THAT(Say(p, 450).sentence, HasSubstr("the cores limit the run at times"));
}

TEST(Diagnosis, DoesNotSendForWorkersWhereEveryPeriodEndsThrottled) {
  Planned p;
  p.estimate.demand = 800;
  Throttle(p, 0.3);
  EXPECT_EQ(Say(p, 248).limit, Limit::kOp);
  Throttle(p, 0.9);
  const Verdict verdict = Say(p, 248);
  EXPECT_EQ(verdict.limit, Limit::kCores);
  EXPECT_THAT(verdict.sentence, HasSubstr("throttled by the cgroup quota"));
}

TEST(Diagnosis, DoesNotBlameAQuotaWhereTheConsumerIsServed) {
  Planned p;
  p.Workers(1).value = 4;
  p.estimate.demand = 500;
  p.estimate.starved = 0.002;
  Throttle(p, 0.9);
  const Verdict verdict = Say(p, 500);
  EXPECT_EQ(verdict.limit, Limit::kConsumer);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("waits 0.2% of its time for the pipeline; the run is throttled by the "
                        "cgroup quota: 2.0 of 16 cores, in 90% of its periods"))
      << "its own steps may be what is held back";
}

TEST(Diagnosis, BlamesNobodyForCoresThatStandIdle) {
  Queueing p;
  p.estimate.idle = 3;
  const Verdict verdict = Say(p, 450);
  EXPECT_EQ(verdict.limit, Limit::kCores);
  EXPECT_THAT(verdict.sentence,
              HasSubstr("the cores limit the run at times: of 8 it uses 4 and 3 stand idle"));
  p.estimate.idle = 1;
  EXPECT_THAT(Say(p, 450).sentence, HasSubstr("other work on this machine limits the run"));
  p.estimate.idle.reset();
  EXPECT_THAT(Say(p, 450).sentence, HasSubstr("the cores limit the run at times: of 8 it uses 4, while 2.5"))
      << "nor where it is not known how many idle";
}

TEST(Diagnosis, DoesNotSayThatNothingIsToDoWhereTheConsumerWaits) {
  Planned p;
  p.Workers(1).value = 4;
  p.estimate.demand = 500;
  p.estimate.starved = 0.1;
  p.estimate.cores_used = 4;
  const Verdict verdict = Say(p, 450);
  EXPECT_EQ(verdict.limit, Limit::kConsumer);
  EXPECT_THAT(verdict.sentence, ::testing::Not(HasSubstr("nothing to do")));
}

TEST(Diagnosis, AConsumerThatMostlyWaitsIsNotTheLimit) {
  Planned p;
  p.Workers(1).value = 4;
  p.estimate.demand = 500;
  p.estimate.starved = 0.94;
  p.estimate.cores_used = 4;
  const Verdict verdict = Say(p, 30);
  EXPECT_EQ(verdict.limit, Limit::kUnknown);
  EXPECT_THAT(verdict.sentence, HasSubstr("the consumer waits 94% of its time"));
  const Planner planner = p.planner();
  EXPECT_EQ(
      Reason({p.seen, p.estimate, planner, {.windows = 20, .mean = 30, .noise = 0.02}, false}, p.settings),
      "30 rows/s pass and the consumer waits 94% of its time");
}

TEST(Diagnosis, AnOpThatIdlesWhileMorePassesThanItIsSaidToMakeIsNotTheLimit) {
  Planned p;
  p.estimate.demand = 800;
  p.estimate.starved = 0.2;
  EXPECT_EQ(Say(p, 480).limit, Limit::kOp) << "it is busy";
  p.estimate.ops[1].utilisation = 0.001;
  EXPECT_EQ(Say(p, 480).limit, Limit::kUnknown);
}

TEST(Diagnosis, PricesACore) {
  Planned p;
  p.Workers(1).value = 12;
  p.estimate.cores_used = 7.9;
  const Verdict verdict = Say(p, 1930);
  EXPECT_EQ(verdict.limit, Limit::kCores);
  EXPECT_THAT(verdict.sentence, HasSubstr("7.9"));
  EXPECT_THAT(verdict.sentence, HasSubstr("each further core would give 244 rows/s more"));
}

TEST(Diagnosis, SaysWhatKeepsAnOpFromGrowing) {
  Planned pinned;
  pinned.Workers(1).holder = Holder::kUser;
  EXPECT_THAT(Say(pinned, 248).sentence, HasSubstr("pinned at 1: release them"));
  Planned held;
  held.Workers(1).holder = Holder::kUser;
  held.Workers(1).held = HeldBecause::kRandomDraws;
  EXPECT_THAT(Say(held, 248).sentence, HasSubstr("held at 1: random draws would come out otherwise"));
  held.Workers(1).held = HeldBecause::kAdvise;
  held.settings.advise = true;
  EXPECT_THAT(Say(held, 248).sentence, HasSubstr("give it 8 workers")) << "advice is what was asked for";
  Planned bounded;
  bounded.Workers(1).max = 1;
  EXPECT_THAT(Say(bounded, 248).sentence, HasSubstr("its bound is 1 worker: raise it"));
}

TEST(Diagnosis, SaysWhoDoesTheWorkOfNoWorkers) {
  Planned p;
  p.Workers(1).value = p.Workers(1).requested = p.Workers(1).min = 0;
  p.estimate.demand = 800;
  EXPECT_THAT(
      Say(p, 248).sentence,
      HasSubstr("decode limits the run: the trainer does it itself, 99% of its time, and makes 248 rows/s"));
}

TEST(Diagnosis, NamesALockThatLetsOnlyOneWorkerCompute) {
  Planned p;
  p.Workers(1).value = 8;
  p.estimate.ops[1].busy_workers = 8;
  p.estimate.ops[1].wait = 0.028;
  p.estimate.locked = {1};
  const Verdict verdict = Say(p, 250);
  EXPECT_EQ(verdict.limit, Limit::kSerialOp);
  EXPECT_EQ(verdict.op, 1u);
  EXPECT_THAT(verdict.sentence, HasSubstr("all workers of decode together keep one core busy"));
}

TEST(Diagnosis, AsksForMoreShardsWhereWorkersFindNothingToRead) {
  Planned p;
  p.Workers(1).value = 2;
  p.estimate.ops[1].busy_workers = p.estimate.ops[1].useful = 2;
  p.estimate.ops[1].regime = Regime::kSharded;
  const Verdict verdict = Say(p, 500);
  EXPECT_EQ(verdict.limit, Limit::kOp);
  EXPECT_THAT(verdict.sentence, EndsWith("split its data into more shards"));
  EXPECT_EQ(verdict.regimes, (std::vector{Regime::kUnknown, Regime::kSharded}));
}

TEST(Diagnosis, TellsStorageFromContention) {
  Planned p;
  p.Workers(1).value = 4;
  p.estimate.ops[1].busy_workers = 4;
  p.estimate.ops[1].curve = {.law = {0.95, 0}, .seen = {{1, 1}, {4, 1}}};
  p.estimate.ops[1].wait = 0.02;
  p.estimate.ops[1].regime = Regime::kStorage;
  EXPECT_EQ(Say(p, 160).limit, Limit::kStorage);
  p.estimate.ops[1].curve = {.law = {0, 0.2}, .seen = {{1, 1}, {2, 1}, {4, 1}}};
  EXPECT_EQ(Say(p, 160).limit, Limit::kStorage) << "a storage may get slower with many readers";
  p.estimate.ops[1].regime = Regime::kContended;
  EXPECT_EQ(Say(p, 160).limit, Limit::kContention);
  EXPECT_THAT(Say(p, 160).sentence, HasSubstr("2 workers are best and give at most"));
  p.estimate.ops[1].curve.law.kappa = 2;
  EXPECT_THAT(Say(p, 160).sentence, HasSubstr("1 worker is best and gives at most"));
}

TEST(Diagnosis, BlamesTheByteBudgetOnlyWhereBuffersAreWhatIsMissing) {
  Planned p;
  p.Workers(1).value = 4;
  p.estimate.demand = 500;
  p.estimate.starved = 0.2;
  p.seen.budget.memory = 8_MiB;
  EXPECT_EQ(Say(p, 400, true).limit, Limit::kMemory);
  EXPECT_THAT(Say(p, 400, true).sentence, HasSubstr("buffers hold at most"));
  p.seen.ops[1].worker_memory = 9_MiB;
  EXPECT_THAT(Say(p, 400, true).sentence, HasSubstr("buffers and workers hold at most"));
  p.seen.ops[1].worker_memory = Bytes{0};
  p.Workers(1).value = 1;
  EXPECT_EQ(Say(p, 248, true).limit, Limit::kOp);
}

TEST(Diagnosis, IsLessSureWithFewItemsAndWhereModelAndMeasurementDisagree) {
  Planned p;
  const double sure = Say(p, 248).confidence.value;
  EXPECT_LT(Say(p, 100).confidence.value, 0.6 * sure);
  p.estimate.consumer_items = 3;
  EXPECT_LT(Say(p, 248).confidence.value, 0.6 * sure);
}

TEST(Wording, SpeaksOfRowsFirst) {
  Graph graph;
  graph.ops = {{.name = "batch", .kind = "batch", .rows_per_item = 64}};
  graph.connectors = {{"batch->consumer", OpId(0), std::nullopt}};
  EXPECT_EQ(InRows(graph, 12.5), "800 rows/s (12.5 batches/s)");
  EXPECT_EQ(CountWorkers(1), "1 worker");
}

}  // namespace
}  // namespace sluice::autotune::testing

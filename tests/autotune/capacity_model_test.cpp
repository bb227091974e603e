#include "model/capacity_model.h"

#include <gtest/gtest.h>

#include <limits>

namespace sluice::autotune {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

OpModel Op(double cpu, double wait = 0, int most = 64) {
  OpModel op;
  op.cost.cpu = cpu;
  op.cost.wait = wait;
  op.most = most;
  return op;
}

Scaling Law(double sigma, double kappa) {
  return {.law = {.sigma = sigma, .kappa = kappa}, .seen = {{1, 1}}};
}

CapacityModel Model(std::vector<OpModel> ops, double cores, double demand = kEndless) {
  return {{.ops = std::move(ops), .demand = demand, .cores = cores, .other_cpu = 0}, {}};
}

TEST(CapacityModel, IsLimitedByTheCoresOverTheSumOfCosts) {
  const CapacityModel model = Model({Op(0.001), Op(0.003)}, 8);
  EXPECT_NEAR(model.Optimum().rate, 2000, 1e-6);
  EXPECT_EQ(model.Optimum().limit, Limit::kCores);
  EXPECT_NEAR(model.ShadowPrice(), 250, 1e-6);
  EXPECT_NEAR(model.CpuShare(1), 0.75, 1e-9);
}

TEST(CapacityModel, IsLimitedByDemandAndThenACoreIsWorthNothing) {
  const CapacityModel model = Model({Op(0.001), Op(0.003)}, 8, 500);
  EXPECT_EQ(model.Optimum().rate, 500);
  EXPECT_EQ(model.Optimum().limit, Limit::kConsumer);
  EXPECT_EQ(model.ShadowPrice(), 0);
  EXPECT_EQ(model.WorkersFor(1, 500), 2) << "1.5 busy workers and a tenth of headroom";
}

TEST(CapacityModel, CountsVisitsOfOpsBeforeABatch) {
  OpModel decode = Op(0.001);
  decode.cost.visits = 64;
  EXPECT_NEAR(Model({decode}, 2).Optimum().rate, 2 / 0.064, 1e-6);
}

TEST(CapacityModel, NamesASerialOp) {
  OpModel read = Op(0.01, 0, 1);
  read.serial = true;
  const Ceiling best = Model({read, Op(0.001)}, 8).Optimum();
  EXPECT_EQ(best.limit, Limit::kSerialOp);
  EXPECT_EQ(best.op, 0u);
  EXPECT_NEAR(best.rate, 100, 1e-9);
}

TEST(CapacityModel, GivesWaitingOpsWorkersBeyondTheCores) {
  const CapacityModel model = Model({Op(0.0001, 0.01), Op(0.001)}, 2);
  const double rate = model.Optimum().rate;
  EXPECT_GE(model.WorkersFor(0, rate), static_cast<int>(rate * 0.0101));
  EXPECT_EQ(model.WorkersFor(1, rate), 2);
}

TEST(CapacityModel, NeverGivesAComputingOpMoreWorkersThanCores) {
  const CapacityModel model = Model({Op(0.00001), Op(0.002)}, 2);
  EXPECT_EQ(model.WorkersFor(1, model.Optimum().rate), 2) << "2 busy workers: no headroom beyond the cores";
  EXPECT_TRUE(model.FillsTheCores(1, 2));
  EXPECT_FALSE(model.FillsTheCores(1, 1));
  const CapacityModel now_and_then = Model({Op(0.00001), Op(0.002, 0.00002)}, 2);
  EXPECT_EQ(now_and_then.WorkersFor(1, now_and_then.Optimum().rate), 2) << "a page fault is not a reason";
  const CapacityModel waiting = Model({Op(0.001, 0.001)}, 2);
  EXPECT_FALSE(waiting.FillsTheCores(0, 3)) << "half of them wait";
}

TEST(CapacityModel, StopsAtTheCountBeyondWhichAnOpGetsSlower) {
  OpModel op = Op(0.01);
  op.cost.curve = Law(0, 0.1);
  const CapacityModel model = Model({op}, 64);
  EXPECT_EQ(model.BestWorkers(0), 3);
  EXPECT_EQ(model.WorkersFor(0, 1000), 3);
  EXPECT_EQ(model.Optimum().limit, Limit::kContention);
}

TEST(CapacityModel, CallsReadersThatShareABandwidthStorage) {
  OpModel op = Op(0.0001, 0.01, 16);
  op.cost.curve = Law(0.9, 0);
  op.cost.regime = Regime::kStorage;
  EXPECT_EQ(Model({op}, 64).Optimum().limit, Limit::kStorage);
}

TEST(CapacityModel, SpeaksOfTheStorageOnceItsReadersAreNearTheKnee) {
  OpModel op = Op(0.0001, 0.01);
  op.cost.curve = {.knee = 17, .seen = {{1, 1}, {64, 1}}};
  op.cost.regime = Regime::kStorage;
  EXPECT_EQ(Model({op}, 64).With({16}).limit, Limit::kStorage) << "a seventeenth reader is no remedy";
  EXPECT_EQ(Model({op}, 64).With({12}).limit, Limit::kOp);
}

TEST(CapacityModel, CallsItContentionWhereAnOpThatReadsNothingWaits) {
  OpModel op = Op(0.0001, 0.01, 16);
  op.cost.curve = Law(0.9, 0);
  op.cost.reads_nothing = true;
  EXPECT_EQ(Model({op}, 64).Optimum().limit, Limit::kContention);
}

TEST(CapacityModel, KeepsTheServiceTimeThatWasMeasuredAtThePresentConcurrency) {
  OpModel op = Op(0.04);
  op.cost.curve = Law(0, 0.1);
  op.cost.busy_workers = 6;
  EXPECT_NEAR(Model({op}, 64).OpRate(0, 6), 6 / 0.04, 1e-9);
}

TEST(CapacityModel, CallsAnOpThatFillsTheCoresTheCores) {
  const CapacityModel model = Model({Op(0.004)}, 4);
  const Ceiling now = model.With({4});
  EXPECT_EQ(now.limit, Limit::kCores);
  EXPECT_FALSE(now.op);
  EXPECT_EQ(model.With({3}).limit, Limit::kOp);
}

TEST(CapacityModel, KeepsMoreWorkersReadyWhereCoresAreScarce) {
  const CapacityModel scarce = Model({Op(0.004), Op(0.004)}, 32);
  const CapacityModel served = Model({Op(0.004), Op(0.004)}, 32, 500);
  EXPECT_EQ(scarce.WorkersFor(0, scarce.Optimum().rate), 24)
      << "16 busy, a tenth, and one and a half standard deviations of 4";
  EXPECT_EQ(served.WorkersFor(0, 500), 3) << "2 busy and a tenth";
}

// Costs of 1, 4 and 1 ms and a step that takes next to nothing.
TEST(CapacityModel, SparesThreadsWhateverComesAfterTheHeaviest) {
  const auto workers = [](double demand) {
    const CapacityModel model(
        {.ops = {Op(0.001), Op(0.004), Op(0.001), Op(0.00001)}, .demand = demand, .cores = 8}, {});
    std::vector<int> counts;
    counts.reserve(4);
    for (std::size_t i = 0; i < 4; ++i) counts.push_back(model.WorkersFor(i, model.Optimum().rate));
    return counts;
  };
  EXPECT_EQ(workers(kEndless), (std::vector{4, 8, 4, 1}));
  EXPECT_EQ(workers(500), (std::vector{1, 3, 1, 1})) << "cores are not the limit";
}

TEST(CapacityModel, LeavesACoreToAConsumerThatComputes) {
  const auto with_consumer = [](double cpu) {
    return CapacityModel({.ops = {Op(0.2)}, .demand = 40, .cores = 8, .other_cpu = cpu}, {});
  };
  EXPECT_EQ(with_consumer(0.02).WorkersFor(0, 40), 7);
  EXPECT_TRUE(with_consumer(0.02).CrowdsConsumer(0, 8));
  EXPECT_EQ(with_consumer(0.001).WorkersFor(0, 40), 8) << "a consumer that only hands data on";
  EXPECT_FALSE(with_consumer(0.001).CrowdsConsumer(0, 8));
}

// Two cores, a trainer that computes for 80 ms per batch and waits for the rest: a core for itself would
// idle.
TEST(CapacityModel, SharesTheCoresWithAConsumerThatIsKeptWaiting) {
  const CapacityModel waits({.ops = {Op(0.165)}, .demand = 24, .cores = 2, .other_cpu = 0.083}, {});
  EXPECT_EQ(waits.WorkersFor(0, waits.Optimum().rate), 2);
  const CapacityModel served({.ops = {Op(0.082)}, .demand = 12, .cores = 2, .other_cpu = 0.083}, {});
  EXPECT_EQ(served.WorkersFor(0, served.Optimum().rate), 1) << "both are busy all the time already";
}

TEST(CapacityModel, NamesTheLockThatOpsShare) {
  ModelInput input{.ops = {Op(0.001), Op(0.002, 0.002)}, .demand = kEndless, .cores = 8, .other_cpu = 0};
  input.locked = {0, 1};
  const Ceiling best = CapacityModel(input, {}).Optimum();
  EXPECT_NEAR(best.rate, 1 / 0.003, 1e-6);
  EXPECT_EQ(best.limit, Limit::kSerialOp);
  EXPECT_EQ(best.op, 1u);
}

TEST(CapacityModel, DoesNotTakeWorkersThatQueueForALockForASlowOp) {
  ModelInput input{.ops = {Op(0.001), Op(0.002)}, .demand = kEndless, .cores = 8, .other_cpu = 0};
  input.ops[1].cost.curve = Law(0, 0.2);
  EXPECT_LT(CapacityModel(input, {}).With({2, 15}).rate, 200);
  input.locked = {0, 1};
  const Ceiling now = CapacityModel(input, {}).With({2, 15});
  EXPECT_NEAR(now.rate, 1 / 0.003, 1e-6);
  EXPECT_EQ(now.limit, Limit::kSerialOp);
}

TEST(CapacityModel, KnowsThatMoreWorkersThanShardsReadNothing) {
  OpModel read = Op(0, 0.004);
  read.cost.useful = 2;
  const CapacityModel model = Model({read}, 8);
  EXPECT_EQ(model.BestWorkers(0), 2);
  EXPECT_NEAR(model.OpRate(0, 16), 500, 1e-6);
  EXPECT_EQ(model.Optimum().limit, Limit::kOp);
}

TEST(CapacityModel, ReckonsThatAnOpWhichSlowsItselfDownCostsMoreCoresWithMoreWorkers) {
  OpModel op = Op(0.01);
  op.cost.curve = Law(0, 0.1);
  const CapacityModel model = Model({op, Op(0.01)}, 4);
  EXPECT_GT(model.With({2, 4}).rate, model.With({8, 4}).rate);
}

// With 9 workers or more the first op makes most (523/s) and takes 17 ms of a core per item, with 5 of them
// 12 ms.
TEST(CapacityModel, SpendsNoScarceCoresOnAnOpThatSlowsItselfDown) {
  OpModel op = Op(0.01);
  op.cost.curve = Law(0, 0.01);
  op.cost.regime = Regime::kContended;
  const CapacityModel scarce = Model({op, Op(0.03)}, 16);
  EXPECT_EQ(scarce.BestWorkers(0), 9);
  EXPECT_NEAR(scarce.Optimum().rate, 16 / 0.042, 1);
  EXPECT_EQ(scarce.Optimum().limit, Limit::kCores);
  EXPECT_LE(scarce.WorkersFor(0, scarce.Optimum().rate), 6);
  op.cost.cpu = 0.019;  // among ten, which are there now
  op.cost.busy_workers = 10;
  const CapacityModel crowded = Model({op, Op(0.03)}, 16);
  EXPECT_NEAR(crowded.Optimum().rate, 16 / 0.042, 1);
  EXPECT_NEAR(crowded.CpuShare(0), 0.019 / 0.049, 1e-9) << "of what is used, not of what would be";
  EXPECT_TRUE(scarce.WastesCores(0, 10, 6));
  EXPECT_FALSE(scarce.WastesCores(1, 10, 6)) << "whose items cost the same with any number";
  const CapacityModel plenty = Model({op, Op(0.03)}, 64);
  EXPECT_EQ(plenty.WorkersFor(0, plenty.Optimum().rate), 9);
  EXPECT_FALSE(plenty.WastesCores(0, 10, 6));
}

// Two ops take turns before a third: photos (4 ms), then drawings (2 ms), on 8 cores.
TEST(CapacityModel, PlansEachPhaseOfAConcatByItself) {
  ModelInput input{
      .ops = {Op(0.004), Op(0.002), Op(0.00001)}, .demand = kEndless, .cores = 8, .other_cpu = 0};
  input.phases = {{.active = {true, false, true}, .flowing = {}},
                  {.active = {false, true, true}, .flowing = {}}};
  const CapacityModel model(input, {});
  EXPECT_NEAR(model.Optimum().rate, 8 / 0.00401, 1) << "the present phase";
  EXPECT_NEAR(model.OptimumFor(1), 8 / 0.00201, 1) << "the other one, planned for already";
  EXPECT_EQ(model.WorkersFor(1, model.OptimumFor(1)), 8);
}

TEST(CapacityModel, AConsumerThatDoesTheWorkItselfCannotDoBothAtOnce) {
  const CapacityModel model = Model({Op(0.01)}, 4, 100);
  EXPECT_NEAR(model.OpRate(0, 0), 50, 1e-9);
  EXPECT_NEAR(model.OpRate(0, 1), 100, 1e-9);
}

}  // namespace
}  // namespace sluice::autotune

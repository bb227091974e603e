#include "capacity_model.h"

#include <gtest/gtest.h>

#include <limits>

namespace sluice {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

OpModel Op(double cpu, double wait = 0, int most = 64) {
  OpModel op;
  op.cost.cpu = cpu;
  op.cost.wait = wait;
  op.most = most;
  return op;
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
  op.cost.curve = {.sigma = 0, .kappa = 0.1};
  const CapacityModel model = Model({op}, 64);
  EXPECT_EQ(model.BestWorkers(0), 3);
  EXPECT_EQ(model.WorkersFor(0, 1000), 3);
  EXPECT_EQ(model.Optimum().limit, Limit::kContention);
}

TEST(CapacityModel, CallsReadersThatShareABandwidthStorage) {
  OpModel op = Op(0.0001, 0.01, 16);
  op.cost.curve = {.sigma = 0.9, .kappa = 0};
  EXPECT_EQ(Model({op}, 64).Optimum().limit, Limit::kStorage);
}

TEST(CapacityModel, KeepsTheServiceTimeThatWasMeasuredAtThePresentConcurrency) {
  OpModel op = Op(0.04);
  op.cost.curve = {.sigma = 0, .kappa = 0.1};
  op.cost.busy_workers = 6;
  EXPECT_NEAR(Model({op}, 64).OpRate(0, 6), 6 / 0.04, 1e-9);
}

}  // namespace
}  // namespace sluice

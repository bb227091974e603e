#include "estimates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice {
namespace {

// 100 ms in which one op made `items`, each with `cpu` and `wait` seconds.
Interval Made(double items, double cpu, double wait = 0) {
  Interval i;
  i.state = Cleanliness::kClean;
  i.seconds = 0.1;
  OpInterval op;
  op.items = items;
  op.bytes = items * 1000;
  op.cpu = items * cpu;
  op.wait = items * wait;
  op.busy = op.cpu + op.wait;
  op.starved = 0.1 - op.busy;
  op.latency[20] = static_cast<std::uint64_t>(items);
  i.ops = {op};
  i.consumer_items = items;
  return i;
}

PipelineEstimate After(const std::vector<Interval>& intervals) {
  Estimates estimates(1, {});
  for (const Interval& i : intervals) estimates.Add(i);
  return estimates.Get({1.0});
}

TEST(Estimates, TellComputingFromWaiting) {
  const auto all = After({Made(10, 0.001, 0.004)});
  EXPECT_NEAR(all.ops[0].cpu, 0.001, 1e-9);
  EXPECT_NEAR(all.ops[0].wait, 0.004, 1e-9);
  EXPECT_NEAR(all.ops[0].utilisation, 0.5, 1e-9);
  EXPECT_NEAR(all.ops[0].bytes, 1000, 1e-9);
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

TEST(Estimates, ReadVariabilityFromTheHistogramAndFindNoneInAFixedTime) {
  EXPECT_NEAR(After({Made(10, 0.001)}).ops[0].variability, 0, 1e-9);
  Interval mixed = Made(10, 0.001);
  mixed.ops[0].latency[25] = 2;
  EXPECT_GT(After({mixed}).ops[0].variability, 1);
}

TEST(Estimates, CountCpuTimeOutsideOfTheOps) {
  Interval i = Made(10, 0.001);
  i.process_cpu = 0.015;
  EXPECT_NEAR(After({i}).other_cpu, 0.0005, 1e-9);
}

TEST(Estimates, LetNewConditionsWinAfterFading) {
  Estimates estimates(1, {});
  for (int n = 0; n < 100; ++n) estimates.Add(Made(10, 0.001));
  estimates.Fade();
  for (int n = 0; n < 5; ++n) estimates.Add(Made(10, 0.004));
  EXPECT_GT(estimates.Get({1.0}).ops[0].cpu, 0.0035);
}

}  // namespace
}  // namespace sluice

#include "ops/synthetic.h"

#include <gmock/gmock.h>

#include <cmath>

#include "runtime/ops/drive.h"
#include "sluice/base/clock.h"

namespace sluice::runtime {
namespace {

using Kind = Distribution::Kind;
using namespace std::chrono_literals;  // NOLINT

struct Moments {
  double mean = 0, cv = 0;
};
Moments Sample(const Distribution& distribution) {
  constexpr int kDraws = 200'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    Rng rng(3, 0, static_cast<std::uint64_t>(i));
    const auto value = static_cast<double>(Draw(distribution, rng).count());
    EXPECT_GE(value, 0);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean) / mean};
}

TEST(Draw, AFixedTimeIsAlwaysTheSame) {
  const Moments m = Sample({Kind::kFixed, 2ms, 0});
  EXPECT_DOUBLE_EQ(m.mean, 2e6);
  EXPECT_NEAR(m.cv, 0, 1e-6);
}

TEST(Draw, LognormalHasTheMeanAndSpreadThatWereAskedFor) {
  const Moments m = Sample({Kind::kLognormal, 2ms, 0.5});
  EXPECT_NEAR(m.mean, 2e6, 2e4);
  EXPECT_NEAR(m.cv, 0.5, 0.01);
}

TEST(Draw, ExponentialHasItsMeanAndASpreadOfOne) {
  const Moments m = Sample({Kind::kExponential, 2ms, 0});
  EXPECT_NEAR(m.mean, 2e6, 2e4);
  EXPECT_NEAR(m.cv, 1, 0.01);
}

TEST(Slowdown, FollowsTheUniversalScalabilityLaw) {
  const Contention law{.sigma = 0.1, .kappa = 0.01};
  EXPECT_DOUBLE_EQ(Slowdown(law, 1), 1);
  EXPECT_DOUBLE_EQ(Slowdown(law, 4), 1 + 0.3 + 0.12);
  EXPECT_DOUBLE_EQ(Slowdown({}, 9), 1);
}

TEST(Slowdown, TakesATableAndItsLastEntryBeyond) {
  const Contention table{.table = {1, 1.5, 2.5}};
  EXPECT_DOUBLE_EQ(Slowdown(table, 1), 1);
  EXPECT_DOUBLE_EQ(Slowdown(table, 2), 1.5);
  EXPECT_DOUBLE_EQ(Slowdown(table, 3), 2.5);
  EXPECT_DOUBLE_EQ(Slowdown(table, 30), 2.5);
  EXPECT_DOUBLE_EQ(Slowdown(table, 0), 1);
}

// At least: a busy machine may take longer, never shorter.
TEST(BurnCpu, UsesAsMuchCpuTimeAsItIsTold) {
  const Nanos before = ReadClock(CLOCK_THREAD_CPUTIME_ID);
  BurnCpu(3ms);
  EXPECT_GE(ReadClock(CLOCK_THREAD_CPUTIME_ID) - before, 3ms);
}

TEST(WaitFor, WaitsWithoutUsingTheCpu) {
  const Nanos cpu = ReadClock(CLOCK_THREAD_CPUTIME_ID);
  const MonoTime wall = MonoNow();
  WaitFor(20ms);
  EXPECT_GE(MonoNow() - wall, 20ms);
  EXPECT_LT(ReadClock(CLOCK_THREAD_CPUTIME_ID) - cpu, 10ms);
}

class SyntheticTest : public testing::Test {
 protected:
  BufferPool pool_{64_KiB};
  MemoryPlan memory_{pool_, 3};
};

TEST_F(SyntheticTest, AllocatesWhatItIsToldAndFillsItByTheRowsIndex) {
  SyntheticLogic op(1, 0, {.allocate = 10_KiB}, memory_);
  const auto units = OpDriver(op).Feed(Row(0x107));
  const Item& row = units[0].item;
  ASSERT_EQ(row.data.Size(), 10'240u);
  EXPECT_EQ(row.data.data[0], std::byte{7});
  EXPECT_EQ(row.data.data[10'239], std::byte{7});
  EXPECT_EQ(row.Held(), 10_KiB);
}

TEST_F(SyntheticTest, WaitsForMemoryThatWillCome) {
  SyntheticLogic op(1, 0, {.allocate = 60_KiB}, memory_);
  Emitted emitted;
  BufferRef other = pool_.Acquire(1);
  Item row = Row(1);
  EXPECT_EQ(op.Admit(row, emitted.out), OpLogic::Admission::kNoMemory);
  other.reset();
  EXPECT_EQ(op.Admit(row, emitted.out), OpLogic::Admission::kTaken);
}

TEST_F(SyntheticTest, TellsItsNeed) {
  const SyntheticLogic op(1, 0, {.allocate = 65_KiB}, memory_);
  EXPECT_FALSE(memory_.Settle());
}

TEST_F(SyntheticTest, PassesMarksOnWithoutMemory) {
  SyntheticLogic op(1, 0, {.allocate = 10_KiB}, memory_);
  const auto units = OpDriver(op).Feed(Mark(4));
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].item.epoch, 4u);
  EXPECT_EQ(pool_.in_use(), Bytes{0});
}

}  // namespace
}  // namespace sluice::runtime

#include "sluice/probes/machine_losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::probes {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

// Four CPUs.
class MachineLossesTest : public testing::Test {
 protected:
  // A second in which the CPUs were asked for so many core-seconds, of which the hypervisor took some.
  MachineBudget Second(double asked, double taken, double memory_waits = 0) {
    at_ += seconds(1);
    busy_ += FromSeconds(asked);
    stolen_ += FromSeconds(taken);
    waits_ += FromSeconds(memory_waits);
    MachineBudget budget;
    budget.cores = cores_;
    budget.limits.cpus = 4;
    budget.limits.cores = {{cores_, "limit"}};
    budget.limits.memory = {{Bytes{2000}, Bytes{1000}, "limit"}};
    budget.limits.busy = busy_;
    budget.limits.steal = stolen_;
    budget.limits.pressure = {
        .origin = "/proc/pressure", .cpu = {}, .memory = PressureTime{waits_, {}}, .io = {}};
    losses_.Narrow(at_, budget);
    return budget;
  }
  MachineLosses losses_;
  double cores_ = 4;
  MonoTime at_{0};
  Nanos busy_{seconds(1000)}, stolen_{seconds(500)}, waits_{seconds(77)};
};

TEST_F(MachineLossesTest, WhatWasBeforeTheFirstLookNarrowsNothing) {
  EXPECT_EQ(Second(4, 2, 1).cores, 4);
}

TEST_F(MachineLossesTest, CoresAreWhatTheHypervisorLeavesOfThoseThatAreWanted) {
  Second(4, 0);
  const MachineBudget all_wanted = Second(4, 1);
  EXPECT_DOUBLE_EQ(all_wanted.cores, 3);
  EXPECT_THAT(all_wanted.limits.cores.front().origin, HasSubstr("hypervisor takes 25 %"));
  Second(4, 1);
  EXPECT_DOUBLE_EQ(Second(1, 0.25).cores, 3) << "idle CPUs lose nothing, and would when they are used";
}

TEST_F(MachineLossesTest, AreForgottenWithinTwoSecondsOfTheirEnd) {
  for (int i = 0; i < 5; ++i) Second(4, 2);
  EXPECT_EQ(Second(4, 2).cores, 2);
  Second(4, 0);
  EXPECT_EQ(Second(4, 0).cores, 4);
}

TEST_F(MachineLossesTest, LittleStealIsNoiseAndWhatIsToldMovesByStepsOnly) {
  Second(4, 0);
  EXPECT_EQ(Second(4, 0.15).cores, 4);
  for (int i = 0; i < 3; ++i) Second(4, 1);
  const double told = Second(4, 1).cores;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Second(4, i % 2 == 0 ? 0.8 : 1.2).cores, told);
}

TEST_F(MachineLossesTest, WhatIdleCpusLoseIsNotFelt) {
  Second(0.1, 0.05);
  EXPECT_EQ(Second(0.1, 0.05).cores, 4) << "half of next to nothing";
}

TEST_F(MachineLossesTest, ATighterQuotaStaysTheBound) {
  cores_ = 1;
  Second(4, 1);
  const MachineBudget budget = Second(4, 1);
  EXPECT_EQ(budget.cores, 1);
  EXPECT_EQ(budget.limits.cores.front().origin, "limit");
  EXPECT_EQ(budget.limits.cores.size(), 2);
}

TEST_F(MachineLossesTest, UnderPressureNoMemoryIsLeft) {
  Second(1, 0);
  EXPECT_EQ(MemoryLeft(Second(1, 0, 0.05).limits), Bytes{1000}) << "now and then a task waits everywhere";
  const MachineBudget budget = Second(1, 0, 0.9);
  EXPECT_EQ(MemoryLeft(budget.limits), Bytes{0});
  EXPECT_THAT(budget.limits.memory.front().origin, HasSubstr("/proc/pressure"));
  Second(1, 0);
  EXPECT_EQ(MemoryLeft(Second(1, 0).limits), Bytes{1000});
}

TEST_F(MachineLossesTest, CountersThatBeginAnewNarrowNothing) {
  Second(4, 1);
  busy_ = stolen_ = waits_ = Nanos(0);
  const MachineBudget budget = Second(4, 1, 1);
  EXPECT_EQ(budget.cores, 4);
  EXPECT_EQ(MemoryLeft(budget.limits), Bytes{1000});
}

TEST(MemoryThatFits, IsWhatWasWantedWhereThatIsLeft) {
  EXPECT_EQ(MemoryThatFits(Bytes{100}, Bytes{100}, Bytes{0}, Bytes{400}), Bytes{100});
  EXPECT_EQ(MemoryThatFits(Bytes{100}, Bytes{100}, Bytes{100}, Bytes{300}), Bytes{100})
      << "its own bytes are no loss";
}

TEST(MemoryThatFits, FollowsWhatOthersTakeAndGiveBack) {
  const Bytes less = MemoryThatFits(Bytes{100}, Bytes{100}, Bytes{40}, Bytes{10});
  EXPECT_EQ(less, Bytes{40});
  EXPECT_EQ(MemoryThatFits(Bytes{100}, less, Bytes{40}, Bytes{13}), less) << "about the same";
  EXPECT_EQ(MemoryThatFits(Bytes{100}, less, Bytes{40}, Bytes{500}), Bytes{100});
}

TEST(MemoryThatFits, GoesOnFallingWhileNothingIsLeft) {
  Bytes budget{100}, held{100};
  for (int i = 0; i < 5; ++i) {
    const Bytes now = MemoryThatFits(Bytes{100}, budget, held, Bytes{0});
    EXPECT_LT(now, budget);
    budget = held = now;
  }
}

}  // namespace
}  // namespace sluice::probes

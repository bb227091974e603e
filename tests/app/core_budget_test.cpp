#include "loop/core_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/temp_folder.h"
#include "sluice/probes/binding.h"

namespace sluice::app {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

probes::CoreLease Asks(int pid, double wanted, CpuSet cpus, double most = 1024) {
  return {
      .pid = pid, .program = "run", .wanted = wanted, .most = most, .used = wanted, .cpus = std::move(cpus)};
}

const CpuSet kTwo = CpuSet::Range(0, 1);

TEST(ShareWith, DividesByNeedAndGivesWhatNobodyNeeds) {
  EXPECT_NEAR(ShareWith({Asks(2, 3, kTwo)}, Asks(1, 1, kTwo), {}).cores, 0.5, 1e-9);
  EXPECT_NEAR(ShareWith({Asks(2, 0.2, kTwo)}, Asks(1, 1, kTwo), {}).cores, 1.8, 1e-9);
  EXPECT_EQ(ShareWith({Asks(2, 3, kTwo), Asks(3, 1, kTwo)}, Asks(1, 1, kTwo), {}).others,
            "run (pid 2), run (pid 3)");
}

TEST(ShareWith, RunsOnOtherCpusTakeNothing) {
  EXPECT_NEAR(ShareWith({Asks(2, 9, CpuSet::Range(4, 7))}, Asks(1, 4, CpuSet::Range(0, 3)), {}).cores, 4,
              1e-9);
  EXPECT_NEAR(ShareWith({Asks(2, 4, CpuSet::Range(2, 7))}, Asks(1, 4, CpuSet::Range(0, 3)), {}).cores, 4,
              1e-9)
      << "the other one can go where this one cannot";
  EXPECT_EQ(
      ShareWith({Asks(2, 9, CpuSet::Range(4, 7)), Asks(3, 1, kTwo)}, Asks(1, 4, CpuSet::Range(0, 3)), {})
          .others,
      "run (pid 3)");
}

// Else what they take between items would be counted twice: by their pace, and as the rest of the process.
TEST(UsedBy, CountsAllThatWorkersThreadsTakeWhereItIsKnown) {
  Snapshot seen;
  seen.ops.resize(2);
  for (OpReading& op : seen.ops) op.on_cpu = milliseconds(40);
  EXPECT_EQ(UsedBy(seen).workers, milliseconds(80));
  seen.threads_cpu = milliseconds(85);
  EXPECT_EQ(UsedBy(seen).workers, milliseconds(85));
}

// On all CPUs of this test, which another run may use as well.
class Budget : public testing::Test {
 protected:
  Budget() {
    limits_.cpus = mask_.Count();
    limits_.cores = {{all_, "CPUs online"}};
  }
  // A second that this run used `cores` of, while its consumer waited for so much of the time.
  void Second(double cores, double idle, double waiting = 1, double queued = 0) {
    for (int i = 0; i < 10; ++i) {
      used_.at += milliseconds(100);
      used_.process += FromSeconds(cores / 10);
      used_.workers += FromSeconds(cores / 10);
      used_.idle += FromSeconds(idle / 10);
      used_.starved += FromSeconds(waiting / 10);
      used_.queued += FromSeconds(queued / 10);
      budget_.Note(used_, limits_);
    }
  }
  [[nodiscard]] double Cores() const {
    Snapshot seen;
    seen.budget.cores = all_;
    budget_.Narrow(seen);
    return seen.budget.cores;
  }
  void OtherAsks(double cores) { ASSERT_TRUE(other_.Renew(Asks(2, cores, mask_, 1024))); }

  const CpuSet mask_ = probes::ReadAffinity(0).value();
  const double all_ = mask_.Count();
  probes::TempFolder folder_;
  probes::HostLeases other_ = std::move(*probes::HostLeases::Join(folder_.path() + "/sluice"));
  CoreBudget budget_{folder_.path() + "/sluice", "mine"};
  MachineLimits limits_;
  CoresUsed used_{.at = MonoTime(milliseconds(1))};
};

TEST_F(Budget, OfARunAloneIsTheWholeMachineAndNothingIsPaced) {
  Second(all_, 0);
  EXPECT_EQ(Cores(), all_);
  EXPECT_EQ(budget_.pace(), 0);
}

TEST_F(Budget, BelowAQuotaWorkersGoSlowerThanItWouldStopThem) {
  limits_.quotas.push_back(
      {.group = "cgroup /a", .bound = {0.5, "cpu.max"}, .use = {}, .throttled_share = {}});
  Second(0.5, 1.5);
  EXPECT_NEAR(budget_.pace(), 0.4925, 1e-6);
}

// Of a large one a share is left alone, of a small one as much as CPUs that idle may keep.
TEST_F(Budget, LeavesOfAQuotaWhatTheKernelMayNotHandOut) {
  limits_.cpus = 16;
  for (const auto& [quota, pace] : {std::pair{8.0, 7.96}, {0.25, 0.2425}}) {
    limits_.quotas = {{.group = "cgroup /a", .bound = {quota, "cpu.max"}, .use = {}, .throttled_share = {}}};
    budget_.Note(used_, limits_);
    EXPECT_NEAR(budget_.pace(), pace, 1e-6);
  }
}

TEST_F(Budget, WhatTheRestOfTheProcessTakesComesOffThePace) {
  limits_.quotas.push_back({.group = "cgroup /a", .bound = {1, "cpu.max"}, .use = {}, .throttled_share = {}});
  for (int i = 0; i < 20; ++i) {
    used_.at += milliseconds(100);
    used_.process += milliseconds(90);
    used_.workers += milliseconds(60);
    budget_.Note(used_, limits_);
  }
  EXPECT_NEAR(budget_.pace(), 0.9925 - 0.3, 1e-6);
}

TEST_F(Budget, NamesWhoHasTheRest) {
  OtherAsks(all_);
  Second(all_ / 2, 0);
  Snapshot seen;
  seen.budget.cores = all_;
  seen.machine = std::make_shared<const MachineLimits>(limits_);
  budget_.Narrow(seen);
  EXPECT_NEAR(seen.budget.cores, all_ / 2, 0.05 * all_);
  EXPECT_THAT(seen.machine->cores.front().origin, HasSubstr("shared on this host with run (pid 2)"));
}

// The other one asks for as much as there is; this one needs half of that, whatever it gets at the moment.
TEST_F(Budget, WhatItAsksForIsWhatItsConsumerNeedsHoweverLittleItGets) {
  OtherAsks(all_);
  for (const double cores : {0.3, 0.1, 0.25, 0.02}) {
    for (int i = 0; i < 6; ++i) Second(cores * all_, 0, 1 - cores / 0.5, all_);
    EXPECT_NEAR(Cores(), all_ / 3, 0.11 * all_ / 3) << "with " << cores;
  }
}

TEST_F(Budget, CoresThatIdleAreTakenWhateverOthersAskFor) {
  OtherAsks(all_);
  Second(0.25 * all_, 0.7 * all_);
  EXPECT_NEAR(Cores(), 0.95 * all_, 0.1 * all_);
}

TEST_F(Budget, GrowsAtOnceWhenTheOtherOneLeaves) {
  OtherAsks(all_);
  Second(all_ / 2, 0);
  ASSERT_LT(Cores(), 0.6 * all_);
  other_ = std::move(*probes::HostLeases::Join(folder_.path() + "/sluice"));
  used_.at += milliseconds(100);
  budget_.Note(used_, limits_);
  EXPECT_EQ(Cores(), all_);
  EXPECT_EQ(budget_.pace(), 0);
}

TEST(CoreBudget, SaysWhyItKnowsNobodyAndKeepsToItsQuota) {
  const CoreBudget budget("/proc/sluice", "mine");
  EXPECT_THAT(budget.why_alone(), HasSubstr("/proc/sluice"));
  EXPECT_EQ(budget.pace(), 0);
}

}  // namespace
}  // namespace sluice::app

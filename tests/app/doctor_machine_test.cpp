#include "doctor/doctor_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/doctor_python.h"

namespace sluice::app {
namespace {

using State = exporters::DoctorCheck::State;
using testing::HasSubstr;

TEST(CheckSharedMemory, IsBadOnlyWhereNothingFits) {
  EXPECT_EQ(CheckSharedMemory("/dev/shm", 8_GiB, 8_GiB).state, State::kGood);
  EXPECT_EQ(CheckSharedMemory("/dev/shm", 64_MiB, 64_MiB).state, State::kNote);
  EXPECT_EQ(CheckSharedMemory("/dev/shm", 8_GiB, 1_MiB).state, State::kBad);
}

TEST(CheckOpenFiles, AsksForRoomForWorkers) {
  EXPECT_EQ(CheckOpenFiles(20000).state, State::kGood);
  EXPECT_EQ(CheckOpenFiles(256).remedy, "ulimit -n 4096");
  EXPECT_EQ(CheckOpenFiles(32).state, State::kBad);
}

probes::MachineBudget Budget64() {
  probes::MachineBudget budget;
  budget.affinity_cpus = 64;
  budget.cores = 64;
  budget.limits.cores = {{64, "/proc/self/status: Cpus_allowed_list names 64 CPUs"}};
  return budget;
}

void SetQuota(probes::MachineBudget& budget, double cores) {
  budget.quota_cores = budget.cores = cores;
  budget.limits.cores.insert(budget.limits.cores.begin(), {cores, "cgroup /pod: cpu.max"});
}

TEST(CheckCores, TellsWhereLibrariesSeeMoreCoresThanThereAre) {
  probes::MachineBudget budget = Budget64();
  EXPECT_EQ(CheckCores(budget).state, State::kGood);
  EXPECT_EQ(CheckCores(budget).found, "64 (/proc/self/status: Cpus_allowed_list names 64 CPUs)");
  SetQuota(budget, 2.5);
  const exporters::DoctorCheck check = CheckCores(budget);
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_EQ(check.found, "2.5 (cgroup /pod: cpu.max); 64 by affinity: PyTorch and OpenMP see 64");
  EXPECT_THAT(check.remedy, HasSubstr("OMP_NUM_THREADS=2"));
  SetQuota(budget, 0.5);
  EXPECT_THAT(CheckCores(budget).remedy, HasSubstr("OMP_NUM_THREADS=1"));
}

TEST(CheckHints, AreNotesOnlyWhereTheRunMayUseMore) {
  probes::MachineBudget budget = Budget64();
  budget.limits.hints = {{4, "SLURM_CPUS_PER_TASK=4"},
                         {64, "SLURM_JOB_CPUS_PER_NODE=64"},
                         {std::nullopt, "SLURM_JOB_CPUS_PER_NODE=64,32"}};
  const auto checks = CheckHints(budget);
  ASSERT_EQ(checks.size(), 3);
  EXPECT_EQ(checks[0].state, State::kNote);
  EXPECT_THAT(checks[0].found, HasSubstr("SLURM_CPUS_PER_TASK=4 in the environment, and nothing holds"));
  EXPECT_EQ(checks[0].remedy, "--cores 4 keeps to it");
  EXPECT_EQ(checks[1].state, State::kGood);
  EXPECT_EQ(checks[2].state, State::kGood);
}

TEST(CheckMemory, NamesTheBoundThatLeavesLeast) {
  MachineLimits limits;
  EXPECT_EQ(CheckMemory(limits).state, State::kNote);
  limits.memory = {{8_GiB, 1_GiB, "cgroup /pod: memory.max 8589934592"}, {64_GiB, 32_GiB, "/proc/meminfo"}};
  EXPECT_EQ(CheckMemory(limits).found, "1.00 GiB free (cgroup /pod: memory.max 8589934592)");
}

class AnswerTest : public testing::Test {
 protected:
  exporters::DoctorCheck Check(const std::string& subject, const std::string& forbids = "") {
    for (const exporters::DoctorCheck& check : ReadAnswer(answer_, forbids)) {
      if (check.subject == subject) return check;
    }
    return {State::kBad, subject, "(not told)", ""};
  }
  std::string answer_ =
      R"({"executable": "/usr/bin/python3", "version": "3.11.2", "injected": true, "strangers": [], "patched": ["A.b"],
          "torch": {"version": "1.13.0"}, "library": {"path": "/lib.so", "version": "0.1.0", "abi": 1000}})";
};

TEST_F(AnswerTest, ATorchThatIsKnownIsTuned) {
  EXPECT_EQ(Check("torch").state, State::kGood);
  EXPECT_THAT(Check("torch").found, HasSubstr("1.13.0, Sluice was run with it: measured and tuned"));
  EXPECT_EQ(Check("libsluice.so").found, "/lib.so, version 0.1.0, ABI 1000");
  EXPECT_EQ(Check("patched").found, "A.b");
}

TEST_F(AnswerTest, AStrangeTorchIsTunedWhereATrialPassed) {
  answer_.replace(answer_.find("[]"), 2, R"(["X.y"], "trial": "passed")");
  EXPECT_EQ(Check("torch").state, State::kGood);
  EXPECT_THAT(Check("torch").found, HasSubstr("new to Sluice (X.y), a trial passed: measured and tuned"));
}

TEST_F(AnswerTest, AStrangeTorchIsOnlyMeasuredWhereItFailed) {
  answer_.replace(answer_.find("[]"), 2, R"(["X.y"], "trial": {"error": "Failed: the order was not kept"})");
  EXPECT_EQ(Check("torch").state, State::kNote);
  EXPECT_THAT(Check("torch").found,
              HasSubstr("a trial failed (Failed: the order was not kept): measured, not"));
}

TEST_F(AnswerTest, NoInjectionIsBadAndNamesTheFlag) {
  answer_ = R"({"executable": "/usr/bin/python3", "version": "3.11.2", "injected": false, "torch": null})";
  EXPECT_EQ(Check("injection", "-I").state, State::kBad);
  EXPECT_THAT(Check("injection", "-I").found, HasSubstr("-I keeps"));
  EXPECT_EQ(Check("injection").state, State::kBad);
  EXPECT_EQ(Check("torch").state, State::kNote);
}

TEST_F(AnswerTest, AnOldInterpreterIsBad) {
  answer_.replace(answer_.find("3.11.2"), 6, "3.8.10");
  EXPECT_EQ(Check("interpreter").state, State::kBad);
}

TEST_F(AnswerTest, WhatHasAnotherTypeIsTakenForMissing) {
  answer_ = R"({"version": "3.11.2", "injected": "yes", "torch": "1.13", "library": "lib.so"})";
  EXPECT_EQ(Check("injection").state, State::kBad);
  EXPECT_EQ(Check("torch").state, State::kNote);
  EXPECT_EQ(Check("libsluice.so").found, ", version , ABI unknown");
  answer_ = R"({"version": 3, "injected": null, "torch": [], "library": {"abi": "1"}, "patched": 7})";
  EXPECT_EQ(Check("interpreter").state, State::kGood);
  EXPECT_EQ(Check("libsluice.so").found, ", version , ABI unknown");
}

TEST_F(AnswerTest, WhatIsBrokenInsideIsTold) {
  answer_ =
      R"({"version": "3.11.2", "injected": true, "torch": {"error": "OSError: x"}, "library": {"error": "no"}})";
  EXPECT_EQ(Check("torch").state, State::kBad);
  EXPECT_EQ(Check("libsluice.so").found, "no");
  for (const char* nonsense : {"", "[1]", "{", "null"}) {
    answer_ = nonsense;
    EXPECT_EQ(Check("interpreter").state, State::kBad) << nonsense;
  }
  answer_ = "{}";
  EXPECT_EQ(Check("injection").state, State::kBad);
}

}  // namespace
}  // namespace sluice::app

#include "estimate/taken_cores.h"

#include <gtest/gtest.h>

#include "autotune/tuning.h"

namespace sluice::autotune {
namespace {

constexpr double kBudget = 8;

PipelineEstimate Seen(double used, double queued, std::optional<double> idle) {
  PipelineEstimate estimate;
  estimate.cores_used = used;
  estimate.queued = queued;
  estimate.idle = idle;
  return estimate;
}

// Of which `taken` has been told.
PipelineEstimate Told(const TakenCores& taken, PipelineEstimate estimate) {
  estimate.taken = taken.believed();
  return estimate;
}

// Four of ours run, four wait for a core, and none is idle.
TakenCores Taken() {
  TakenCores taken;
  taken.Look(kBudget, Seen(4, 4, 0));
  return taken;
}

TEST(TakenCores, StayTakenThoughNobodyOfOursWaitsAnyMore) {
  TakenCores taken = Taken();
  EXPECT_EQ(taken.believed(), 4);
  const PipelineEstimate now = Seen(3.9, 0.1, 0.1);
  taken.Look(kBudget, now);
  EXPECT_EQ(taken.believed(), 4);
  EXPECT_EQ(CoresToBeHad(kBudget, Told(taken, now)), 4);
  EXPECT_TRUE(OthersTakeCores(kBudget, Told(taken, now)));
  EXPECT_FALSE(OthersTakeCores(kBudget, Told(taken, Seen(2, 0.1, 2)))) << "it does not use what it is left";
}

TEST(TakenCores, AreOursAgainWhenHalfOfThemIsBack) {
  TakenCores taken = Taken();
  taken.Look(kBudget, Seen(3.9, 0.1, 2));
  EXPECT_EQ(taken.believed(), 4);
  taken.Look(kBudget, Seen(3.9, 0.1, 2.2));
  EXPECT_EQ(taken.believed(), 0);
}

TEST(TakenCores, FollowWhatIsSeenWhereEnoughOfOursAreReady) {
  TakenCores taken = Taken();
  taken.Look(kBudget, Seen(6, 2, 0));
  EXPECT_EQ(taken.believed(), 2);
  taken.Look(kBudget, Seen(7.5, 2, 0));
  EXPECT_EQ(taken.believed(), 0);
}

TEST(TakenCores, AreNotBelievedWithoutASight) {
  TakenCores taken;
  taken.Look(kBudget, Seen(1, 0.9, 0));
  EXPECT_EQ(taken.believed(), 0) << "with more workers it would get a greater share";
  EXPECT_EQ(CoresToBeHad(kBudget, Told(taken, Seen(1, 0.9, 0))), kBudget);
}

TEST(TakenCores, AreForgottenWithAnotherBudgetAndWhereItIsNotKnownHowManyIdle) {
  TakenCores taken = Taken();
  taken.Look(2 * kBudget, Seen(3.9, 0.1, 0));
  EXPECT_EQ(taken.believed(), 0);
  taken = Taken();
  taken.Look(kBudget, Seen(3.9, 0.1, std::nullopt));
  EXPECT_EQ(taken.believed(), 0);
}

// An op that gets in its own way goes down to the cores that a neighbour leaves, and then nobody of ours
// waits.
TEST(TakenCores, AreNotGrownIntoAgainAndAgain) {
  using testing::Line;
  using testing::Lognormal;
  using testing::Tuning;
  using namespace std::chrono_literals;
  Tuning tuning(Line({{.name = "augment",
                       .burn = Lognormal(4ms, 0.2),
                       .contention = {.sigma = 0, .kappa = 0.001},
                       .workers = 32,
                       .capacity = 64}},
                     {.cores = 32, .events = {{.at = 30s, .neighbour = 20}, {.at = 90s, .neighbour = 0}}}));
  tuning.Run(45s);
  EXPECT_LE(tuning.workers(0), 16) << tuning.Trace();
  tuning.Run(45s);
  EXPECT_EQ(tuning.Changes(45s), 0) << tuning.Trace();
  EXPECT_EQ(tuning.verdict().limit, Limit::kCores) << tuning.verdict().sentence;
  tuning.Run(20s);
  EXPECT_GE(tuning.workers(0), 24) << "the neighbour has gone\n" << tuning.Trace();
}

}  // namespace
}  // namespace sluice::autotune

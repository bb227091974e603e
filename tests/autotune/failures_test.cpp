#include "experiment/failures.h"

#include <gtest/gtest.h>

namespace sluice::autotune::testing {
namespace {

constexpr KnobId kDecoders{KnobKind::kWorkers, 1};
constexpr KnobId kRoom{KnobKind::kCapacity, 1};

TrialPlan Of(std::vector<KnobChange> changes, TrialKind kind = TrialKind::kGrowth) {
  return {.kind = kind, .changes = std::move(changes)};
}

TEST(Failures, KnowsATargetAgainWhereverItStartsFrom) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 4, 12}}), {});
  EXPECT_TRUE(failures.Includes({{kDecoders, 6, 12}}));
  EXPECT_FALSE(failures.Includes({{kDecoders, 4, 8}}));
  EXPECT_FALSE(failures.Includes({{kDecoders, 4, 12}, {kRoom, 2, 8}})) << "more than was tried";
}

// Its size follows the demand, which is an estimate.
TEST(Failures, KnowsABufferOfAboutTheSameSizeAgain) {
  Failures failures(2);
  failures.Add(Of({{kRoom, 2, 50}}), {});
  EXPECT_TRUE(failures.Includes({{kRoom, 2, 52}}));
  EXPECT_FALSE(failures.Includes({{kRoom, 2, 80}}));
}

TEST(Failures, LetsTheNextAttemptGoHalfAsFarAsAFactor) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 4, 64}, {kRoom, 2, 8}}), {});
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, 16}));
  failures.Add(Of({{kDecoders, 4, 16}}), {});
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, 8}));
  failures.Add(Of({{kDecoders, 7, 8}}), {});
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, 7})) << "none is left";
}

// 2 work, 6 do not: 3, then 4.
TEST(Failures, GoesOnHalfwayFromWhatWorked) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 2, 16}}), {});
  failures.Add(Of({{kDecoders, 2, 6}}), {});
  EXPECT_EQ(failures.caps()[1], 3);
  TrialPlan kept = Of({{kDecoders, 2, 3}});
  kept.before.mean = kept.predicted = 1;
  failures.Judge(kept, 0.1, 0);
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, 4}));
}

TEST(Failures, PutsNoCapOnWhatBecameSmaller) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 12, 4}}), {});
  failures.Add(Of({{kDecoders, 12, 14}}, TrialKind::kTrim), {});
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, kNoCap}));
}

TEST(Failures, GiveAContendedOpNoMoreThanATrimLeftIt) {
  Failures failures(2);
  PipelineEstimate estimate;
  estimate.ops.resize(2);
  const TrialPlan trim = Of({{kRoom, 8, 2}, {kDecoders, 6, 5}}, TrialKind::kTrim);
  failures.NoteUseless(trim, estimate);
  EXPECT_EQ(failures.caps()[1], kNoCap) << "spare workers may be wanted again";
  estimate.ops[1].curve.seen = {{1, 1}, {6, 1}};
  failures.NoteUseless(trim, estimate);
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, 5}));
}

TEST(Failures, ASuccessEndsTheRowAndForgetsNothing) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 4, 12}}), {});
  failures.Add(Of({{kDecoders, 4, 9}}), {});
  EXPECT_EQ(failures.in_a_row(), 2);
  failures.EndRow();
  EXPECT_EQ(failures.in_a_row(), 0);
  EXPECT_TRUE(failures.Includes({{kDecoders, 4, 12}}));
  EXPECT_EQ(failures.caps()[1], 6);
}

constexpr RateSummary Rate(double mean, std::size_t windows = 25) {
  return {.windows = windows, .mean = mean, .noise = 0.05};
}

// What it was compared with had been luck. Of 25 windows each the mean is known to 1 %, so that 2.8 % show.
TEST(Failures, TakesBackOneThatMadeMoreThanWhatCameAfterIt) {
  const std::vector<KnobChange> fewer = {{kDecoders, 64, 62}};
  Failures failures(2);
  failures.Add(Of(fewer, TrialKind::kDescent), Rate(100));
  EXPECT_FALSE(failures.TakeBack(Rate(98), 0)) << "noise";
  EXPECT_FALSE(failures.TakeBack(Rate(90, 2), 0)) << "of two windows nothing is said";
  EXPECT_FALSE(failures.TakeBack(Rate(50), 1)) << "another phase has another rate";
  EXPECT_TRUE(failures.TakeBack(Rate(96), 0));
  EXPECT_FALSE(failures.Includes(fewer));
  failures.Add(Of(fewer, TrialKind::kDescent), Rate(100));
  EXPECT_FALSE(failures.TakeBack(Rate(96), 0)) << "once is enough";
}

TEST(Failures, TakesBackTheLastOneOnly) {
  Failures failures(2);
  EXPECT_FALSE(failures.TakeBack(Rate(50), 0));
  failures.Add(Of({{kDecoders, 4, 12}}), Rate(100));
  failures.Add(Of({{kDecoders, 4, 9}}), Rate(80));
  EXPECT_TRUE(failures.TakeBack(Rate(70), 0));
  EXPECT_TRUE(failures.Includes({{kDecoders, 4, 12}}));
  EXPECT_FALSE(failures.TakeBack(Rate(10), 0)) << "of the one before nothing is known any more";
}

// Twice the rate was promised.
TEST(Failures, ABrokenPromiseCountsAlthoughItWasKept) {
  Failures failures(2);
  TrialPlan plan = Of({{kDecoders, 4, 12}});
  plan.before.mean = 100;
  plan.predicted = 200;
  failures.Judge(plan, 0.6, 0.05);
  EXPECT_EQ(failures.in_a_row(), 0) << "more than half of it";
  failures.Judge(plan, 0.4, 0.05);
  EXPECT_DOUBLE_EQ(failures.Believed(200, 100), 150);
  failures.Judge(plan, 0, 0.05);
  EXPECT_DOUBLE_EQ(failures.Believed(200, 100), 125);
  failures.Judge(plan, 0, 1.5);
  EXPECT_DOUBLE_EQ(failures.Believed(200, 100), 200) << "by noise, for all that is known";
}

TEST(Failures, AFailedDescentSaysNothingOfTheModel) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 64, 62}}, TrialKind::kDescent), {});
  EXPECT_TRUE(failures.Includes({{kDecoders, 64, 62}}));
  EXPECT_EQ(failures.in_a_row(), 0);
}

TEST(Failures, ForgetsAllWhenConditionsChange) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 4, 12}}), {});
  failures.Forget();
  EXPECT_FALSE(failures.Includes({{kDecoders, 4, 12}}));
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, kNoCap}));
  EXPECT_EQ(failures.in_a_row(), 0);
}

}  // namespace
}  // namespace sluice::autotune::testing

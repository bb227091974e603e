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
  failures.Add(Of({{kDecoders, 4, 12}}));
  EXPECT_TRUE(failures.Includes({{kDecoders, 6, 12}}));
  EXPECT_FALSE(failures.Includes({{kDecoders, 4, 8}}));
  EXPECT_FALSE(failures.Includes({{kDecoders, 4, 12}, {kRoom, 2, 8}})) << "more than was tried";
}

// Its size follows the demand, which is an estimate.
TEST(Failures, KnowsABufferOfAboutTheSameSizeAgain) {
  Failures failures(2);
  failures.Add(Of({{kRoom, 2, 50}}));
  EXPECT_TRUE(failures.Includes({{kRoom, 2, 52}}));
  EXPECT_FALSE(failures.Includes({{kRoom, 2, 80}}));
}

TEST(Failures, LetsTheNextAttemptGoHalfAsFarAsAFactor) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 4, 64}, {kRoom, 2, 8}}));
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, 16}));
  failures.Add(Of({{kDecoders, 4, 16}}));
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, 8}));
  failures.Add(Of({{kDecoders, 7, 8}}));
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, 7})) << "none is left";
}

TEST(Failures, PutsNoCapOnWhatBecameSmaller) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 12, 4}}));
  failures.Add(Of({{kDecoders, 12, 14}}, TrialKind::kTrim));
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
  failures.Add(Of({{kDecoders, 4, 12}}));
  failures.Add(Of({{kDecoders, 4, 9}}));
  EXPECT_EQ(failures.in_a_row(), 2);
  failures.EndRow();
  EXPECT_EQ(failures.in_a_row(), 0);
  EXPECT_TRUE(failures.Includes({{kDecoders, 4, 12}}));
  EXPECT_EQ(failures.caps()[1], 6);
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
  failures.Add(Of({{kDecoders, 64, 62}}, TrialKind::kDescent));
  EXPECT_TRUE(failures.Includes({{kDecoders, 64, 62}}));
  EXPECT_EQ(failures.in_a_row(), 0);
}

TEST(Failures, ForgetsAllWhenConditionsChange) {
  Failures failures(2);
  failures.Add(Of({{kDecoders, 4, 12}}));
  failures.Forget();
  EXPECT_FALSE(failures.Includes({{kDecoders, 4, 12}}));
  EXPECT_EQ(failures.caps(), (WorkerCaps{kNoCap, kNoCap}));
  EXPECT_EQ(failures.in_a_row(), 0);
}

}  // namespace
}  // namespace sluice::autotune::testing

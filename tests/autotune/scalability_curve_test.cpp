#include "scalability_curve.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

ScalabilityCurve Seen(Usl truth, std::initializer_list<int> counts) {
  ScalabilityCurve curve;
  for (const int n : counts) curve.Add(n, 0.01 * truth.Slowdown(n), 100);
  return curve;
}

TEST(ScalabilityCurve, AssumesNoContentionUntilItHasSeenTwoCounts) {
  EXPECT_EQ(Seen({0.1, 0.02}, {4}).Fit().kappa, 0);
  EXPECT_EQ(Seen({0.1, 0.02}, {4}).Fit().Peak(64), 64);
}

TEST(ScalabilityCurve, RecoversBothTermsOfTheLaw) {
  const Usl fit = Seen({0.05, 0.01}, {1, 2, 4, 8, 16}).Fit();
  EXPECT_NEAR(fit.Peak(64), Usl({0.05, 0.01}).Peak(64), 1);
  EXPECT_NEAR(fit.Slowdown(12), Usl({0.05, 0.01}).Slowdown(12), 0.1);
}

TEST(ScalabilityCurve, ReadsAFallenRateAsCrosstalkAndAHeldOneAsSerialisation) {
  const Usl fell = Seen({0, 0.2}, {1, 8}).Fit();
  EXPECT_GT(fell.kappa, 0);
  EXPECT_EQ(fell.Peak(64), 2);
  const Usl held = Seen({0.5, 0}, {1, 8}).Fit();
  EXPECT_EQ(held.kappa, 0);
  EXPECT_NEAR(held.sigma, 0.5, 0.05);
}

TEST(ScalabilityCurve, IgnoresNoiseBetweenTwoCounts) {
  ScalabilityCurve curve;
  curve.Add(1, 0.010, 100);
  curve.Add(2, 0.0107, 100);
  EXPECT_EQ(curve.Fit().sigma, 0);
  curve.Add(4, 0.0095, 100);
  EXPECT_EQ(curve.Fit().sigma, 0);
}

TEST(Usl, PeaksWhereTheRateIsGreatest) {
  const Usl usl{0.02, 0.0006};
  const int peak = usl.Peak(100);
  EXPECT_GE(peak / usl.Slowdown(peak), (peak + 1) / usl.Slowdown(peak + 1));
  EXPECT_GE(peak / usl.Slowdown(peak), (peak - 1) / usl.Slowdown(peak - 1));
  EXPECT_EQ(usl.Peak(8), 8);
}

}  // namespace
}  // namespace sluice

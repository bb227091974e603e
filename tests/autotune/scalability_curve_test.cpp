#include "estimate/scalability_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace sluice::autotune {
namespace {

constexpr double kSteady = 0.01;  // variability

ScalabilityCurve Seen(Usl truth, std::initializer_list<int> counts) {
  ScalabilityCurve curve;
  for (const int n : counts) curve.Add(n, 0.01 * truth.Slowdown(n), 100);
  return curve;
}

TEST(ScalabilityCurve, AssumesNoContentionUntilItHasSeenTwoCounts) {
  const Scaling fit = Seen({0.1, 0.02}, {4}).Fit(kSteady);
  EXPECT_FALSE(fit.Contended());
  EXPECT_EQ(fit.Peak(64), 64);
}

TEST(ScalabilityCurve, DoesNotBelieveAHandfulOfItems) {
  ScalabilityCurve curve;
  curve.Add(1, 0.005, 4);
  curve.Add(8, 0.010, 100);
  EXPECT_FALSE(curve.Fit(kSteady).Contended());
  curve.Add(1, 0.005, 4);
  EXPECT_TRUE(curve.Fit(kSteady).Contended());
}

TEST(ScalabilityCurve, ReckonsWithTheNoiseOfAllItsLooks) {
  const auto seen = [](double noise) {
    ScalabilityCurve curve;
    curve.Add(1, 0.005, 50);
    curve.Add(1, 0.005, 50);
    for (int i = 0; i < 20; ++i) curve.Add(8, 0.0075 * (i % 2 == 0 ? 1 - noise : 1 + noise), 50);
    return curve.Fit(kSteady).Contended();
  };
  EXPECT_TRUE(seen(0.02));
  EXPECT_FALSE(seen(0.4));
}

TEST(ScalabilityCurve, FitsAnewWhatItHasSeenSinceTheLastFit) {
  ScalabilityCurve curve = Seen({0, 0.2}, {1, 8});
  const double before = curve.Fit(kSteady).Slowdown(8);
  for (int look = 0; look < 30; ++look) curve.Add(8, 0.01 * 2 * before, 100);
  EXPECT_GT(curve.Fit(kSteady).Slowdown(8), 1.5 * before);
  EXPECT_FALSE(curve.Fit(1e6).Contended()) << "the same rise is noise where items differ that much";
}

TEST(ScalabilityCurve, RecoversBothTermsOfTheLaw) {
  const Usl truth{0.05, 0.01};
  const Scaling fit = Seen(truth, {1, 2, 4, 8, 16}).Fit(kSteady);
  EXPECT_NEAR(fit.Peak(64), 9, 1);
  EXPECT_NEAR(fit.Slowdown(12), truth.Slowdown(12), 0.1);
}

TEST(ScalabilityCurve, ReadsAFallenRateAsCrosstalk) {
  const Scaling fell = Seen({0, 0.2}, {1, 8}).Fit(kSteady);
  EXPECT_EQ(fell.law.sigma, 0);
  EXPECT_EQ(fell.Peak(64), 2);
}

// 64 were tried from 46, and each took twice as long.
TEST(ScalabilityCurve, BelievesARiseBetweenCountsThatAreNearEachOther) {
  const auto seen = [](double rise) {
    ScalabilityCurve curve;
    curve.Add(46, 0.1, 500);
    curve.Add(64, 0.1 * rise, 500);
    return curve.Fit(kSteady);
  };
  EXPECT_LE(seen(2).Peak(64), 46);
  EXPECT_FALSE(seen(1.1).Contended()) << "noise";
}

// Crosstalk and a bit of noise: the line through both points starts below zero.
TEST(ScalabilityCurve, BelievesARiseThatIsSteeperThanTheLaw) {
  ScalabilityCurve curve;
  curve.Add(16, 0.168, 20);
  curve.Add(30, 0.656, 35);
  const Scaling fit = curve.Fit(kSteady);
  ASSERT_TRUE(fit.Contended());
  EXPECT_GE(fit.Peak(64), 2);
  EXPECT_LE(fit.Peak(64), 8);
  EXPECT_NEAR(fit.Slowdown(30) / fit.Slowdown(16), 0.656 / 0.168, 0.5);
}

// By the line through these points one worker would be a hundred times as fast as four.
TEST(ScalabilityCurve, PromisesOfOneWorkerNoMoreThanThatAllWorkIsSerial) {
  ScalabilityCurve curve;
  curve.Add(4, 0.0122, 20);
  curve.Add(9, 0.0353, 100);
  curve.Add(11, 0.0468, 100);
  curve.Add(16, 0.0666, 100);
  const Scaling fit = curve.Fit(kSteady);
  ASSERT_TRUE(fit.Contended());
  EXPECT_LE(fit.law.sigma, 1);
  EXPECT_LE(fit.Slowdown(4) / fit.Slowdown(1), 16);
  EXPECT_NEAR(fit.Slowdown(9) / fit.Slowdown(4), 0.0353 / 0.0122, 0.3);
}

// Four readers have all of the bandwidth, more of them a little less.
TEST(ScalabilityCurve, FindsTheKneeOfAStorageFromTwoCounts) {
  ScalabilityCurve curve;
  curve.Add(1, 0.010, 1000);
  curve.Add(15, 0.010 * 15 / 3.6, 1000);
  const Scaling storage = curve.Fit(kSteady, Shape::kRoofline);
  EXPECT_EQ(storage.Peak(64), 4);
  EXPECT_NEAR(storage.Slowdown(3), 1, 0.02);
  EXPECT_NEAR(storage.Slowdown(15), 15 / 3.6, 0.1);
  EXPECT_GT(curve.Fit(kSteady).Peak(64), 6) << "what computes is not expected to have such a knee";
}

TEST(ScalabilityCurve, TakesTheGreatestKneeWhereAllCountsSeenAreBeyondIt) {
  const Scaling storage = [] {
    ScalabilityCurve curve;
    curve.Add(8, 0.020, 1000);
    curve.Add(16, 0.040, 1000);
    return curve.Fit(kSteady, Shape::kRoofline);
  }();
  EXPECT_EQ(storage.Peak(64), 8);
}

TEST(ScalabilityCurve, LetsBothTermsShareARiseThatTwoCountsCannotTellApart) {
  const Scaling held = Seen({0.5, 0}, {1, 8}).Fit(kSteady);
  EXPECT_NEAR(held.law.sigma * 7, held.law.kappa * 8 * 7, 1e-6);
  EXPECT_NEAR(held.Slowdown(8), 4.5, 0.05);
}

TEST(ScalabilityCurve, IgnoresNoiseBetweenTwoCounts) {
  ScalabilityCurve curve;
  curve.Add(1, 0.010, 100);
  curve.Add(2, 0.0107, 100);
  EXPECT_FALSE(curve.Fit(kSteady).Contended());
  curve.Add(4, 0.0095, 100);
  EXPECT_FALSE(curve.Fit(kSteady).Contended());
}

// Two looks at one worker happened to be quick ones, of looks that differ by 40 %.
TEST(ScalabilityCurve, TakesItFromLooksHowFarTheyDiffer) {
  const auto curve_of = [](double quick) {
    ScalabilityCurve curve;
    for (const double by : {0.9, 1.1}) curve.Add(1, 0.010 * quick * by, 50);
    for (int i = 0; i < 6; ++i) curve.Add(4, 0.010 * std::exp(i % 2 == 0 ? 0.4 : -0.4), 50);
    return curve;
  };
  EXPECT_FALSE(curve_of(0.45).Fit(kSteady).Contended());
  EXPECT_TRUE(curve_of(0.15).Fit(kSteady).Contended());
}

TEST(ScalabilityCurve, AsksForMoreEvidenceWhereItemsDiffer) {
  const ScalabilityCurve curve = Seen({0.1, 0}, {1, 8});
  EXPECT_TRUE(curve.Fit(kSteady).Contended());
  EXPECT_FALSE(curve.Fit(4.0).Contended()) << "a mean of 100 such items is off by a fifth";
}

// SPDL's published stage: 10, 10, 13, 23 and 150 ms. No law goes through these points.
TEST(Scaling, GoesThroughWhatWasSeen) {
  ScalabilityCurve curve;
  const std::vector<std::pair<int, double>> published = {
      {1, 0.010}, {2, 0.010}, {3, 0.013}, {4, 0.023}, {8, 0.150}};
  for (const auto& [n, service] : published) curve.Add(n, service, 10'000);
  const Scaling fit = curve.Fit(kSteady);
  EXPECT_EQ(fit.Peak(16), 3);
  EXPECT_NEAR(fit.Slowdown(4) / fit.Slowdown(3), 2.3 / 1.3, 0.02);
}

TEST(Scaling, ExpectsOfANeighbourWhatBothSidesSuggest) {
  ScalabilityCurve curve;
  for (const auto& [n, service] : {std::pair(1, 0.010), {2, 0.010}, {9, 0.190}})
    curve.Add(n, service, 10'000);
  const Scaling fit = curve.Fit(kSteady);
  EXPECT_NEAR(fit.Optimist(2, 3), fit.Slowdown(2), 0.02) << "two were as fast as one, so may three be";
  EXPECT_GT(fit.Outlook(2, 3), fit.Optimist(2, 3));
  EXPECT_LT(fit.Outlook(2, 3), fit.Slowdown(3));
  EXPECT_EQ(fit.Optimist(8, 9), fit.Slowdown(9)) << "nine were seen";
}

// Both crosstalk and a serialised share explain the rise from 1 to 64; with 24 workers they differ the most.
TEST(ScalabilityCurve, SaysWhereALookBetweenTwoCountsFarApartWouldTellTheTermsApart) {
  const auto guess_at = [](std::initializer_list<double> counts) {
    ScalabilityCurve curve;
    for (const double n : counts) curve.Add(n, 0.01 * Usl{0.024, 0.0016}.Slowdown(n), 10'000);
    return curve.Fit(kSteady).Between(64);
  };
  ASSERT_TRUE(guess_at({1, 64}));
  EXPECT_NEAR(guess_at({1, 64})->n, 23, 2);
  EXPECT_GT(guess_at({1, 64})->gain, 0.1);
  ASSERT_TRUE(guess_at({1, 50, 64})) << "50 and 64 are near each other";
  EXPECT_FALSE(guess_at({1, 24, 64})) << "it was seen";
  EXPECT_FALSE(guess_at({20, 64})) << "near enough";
}

TEST(ScalabilityCurve, DoesNotTellItsTermsApartByTwoCountsThatAreNearEachOther) {
  ScalabilityCurve curve;
  curve.Add(1, 0.010, 10'000);
  curve.Add(45, 0.055, 10'000);
  curve.Add(64, 0.060, 10'000);
  const Scaling fit = curve.Fit(kSteady);
  EXPECT_GT(fit.law.kappa, 0.0005) << "half of the rise, whatever the slope from 45 to 64";
}

TEST(ScalabilityCurve, KeepsItsShapeWhenTheOpBecomesDearer) {
  ScalabilityCurve curve = Seen({0, 0.2}, {1, 2, 8});
  const Scaling before = curve.Fit(kSteady);
  curve.Reanchor();
  curve.Add(2, 4 * 0.01 * before.Slowdown(2), 100);
  const Scaling after = curve.Fit(kSteady);
  for (const double n : {1.0, 3.0, 8.0})
    EXPECT_NEAR(after.Slowdown(n), before.Slowdown(n), 0.02 * before.Slowdown(n));
}

TEST(Scaling, PeaksAtTheLeastCountOfAFlatTop) {
  const Scaling flat{.law = {1, 0}, .seen = {{1, 1}}};
  EXPECT_EQ(flat.Peak(64), 1) << "one lock: a second worker gives nothing";
  const Scaling law{.law = {0.02, 0.0006}, .seen = {{1, 1}}};
  const int peak = law.Peak(100);
  EXPECT_GE(peak / law.Slowdown(peak), 0.99 * 40 / law.Slowdown(40));
  EXPECT_EQ(law.Peak(8), 8);
}

}  // namespace
}  // namespace sluice::autotune

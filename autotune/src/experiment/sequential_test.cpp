#include "experiment/sequential_test.h"

#include <cmath>

#include "sluice/base/check.h"

namespace sluice::autotune {
namespace {

constexpr int kLeastToPraise = 2;  // a burst of filling buffers lasts for one window

}  // namespace

SequentialTest::SequentialTest(double bad, double good, double noise, double error, int most)
    : bad_(bad), good_(good), noise_(noise), bound_(std::log((1 - error) / error)), most_(most) {
  SLUICE_CHECK(bad < good && noise > 0 && error > 0 && error < 0.5);
}

TestResult SequentialTest::Add(double relative_rate, double seconds) {
  ++windows_;
  sum_ += relative_rate * seconds;
  seconds_ += seconds;
  // Log likelihood ratio, good over bad.
  const double evidence = windows_ * (good_ - bad_) / (noise_ * noise_) * (mean() - (good_ + bad_) / 2);
  if (evidence >= bound_ && windows_ >= kLeastToPraise) return TestResult::kGood;
  if (evidence <= -bound_) return TestResult::kBad;
  if (windows_ < most_) return TestResult::kOpen;
  return mean() >= (good_ + bad_) / 2 ? TestResult::kGood : TestResult::kBad;
}

}  // namespace sluice::autotune

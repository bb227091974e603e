// SequentialTest: is a rate as bad as one mean or as good as another? Stops as soon as the windows seen
// decide it at the wanted error.
//
// Wald's sequential probability ratio test for normal windows of known noise ("Sequential tests of
// statistical hypotheses", 1945). Rates are relative to the rate before the change. One thread.
#pragma once
#include <cstdint>

namespace sluice::autotune {

enum class TestResult : std::uint8_t { kOpen, kGood, kBad };

class SequentialTest {
 public:
  // REQUIRES bad < good, noise > 0, 0 < error < 0.5. `most`: windows after which the mean decides.
  SequentialTest(double bad, double good, double noise, double error, int most);

  // A window counts for as much as it lasts, beside the others. REQUIRES seconds > 0.
  [[nodiscard]] TestResult Add(double relative_rate, double seconds);
  [[nodiscard]] int windows() const { return windows_; }
  [[nodiscard]] double mean() const { return seconds_ > 0 ? sum_ / seconds_ : 0; }

 private:
  double bad_, good_, noise_, bound_;
  int most_;
  int windows_ = 0;
  double sum_ = 0;  // rate times seconds
  double seconds_ = 0;
};

}  // namespace sluice::autotune

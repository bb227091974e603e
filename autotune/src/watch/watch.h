// Watch: notices that the world has changed: what an op costs, what the consumer takes, how fast the run is.
//
// A two-sided CUSUM per signal (Page, "Continuous inspection schemes", 1954) on the logarithm of its value,
// against a reference learnt from the first samples; slack and threshold grow with the signal's own noise.
// One thread.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "observe/interval.h"
#include "observe/rate_windows.h"
#include "watch/settings.h"

namespace sluice::autotune {

// One signal.
class ShiftDetector {
 public:
  explicit ShiftDetector(const WatchSettings& settings) : settings_(settings) {}
  // REQUIRES value > 0. The ratio of the value to the reference once a shift is certain.
  std::optional<double> Add(double value);

 private:
  [[nodiscard]] double Sigma() const;
  void LearnReference(double x, double sigma);

  WatchSettings settings_;
  int samples_ = 0;
  double mean_ = 0;  // of the logarithms of the reference samples
  double squares_ = 0;
  double up_ = 0;
  double down_ = 0;
  double recent_ = 0;  // smoothed deviation
};

enum class Watched : std::uint8_t { kCost, kDemand, kRate };

struct Shift {
  Watched what = Watched::kCost;
  std::size_t op = 0;  // for kCost
  double ratio = 1;    // now over before
};

class Watch {
 public:
  Watch(std::size_t ops, const WatchSettings& settings);

  // Forgets the references: what comes now is normal.
  void Arm();
  // But for the demand's: a trim, which takes nothing from the consumer, does not change it.
  void ArmAfterTrim();
  // Another phase has another rate.
  void Turn(std::size_t phase);
  // REQUIRES a clean interval. `window`: that it closed, if it did. Of several shifts the one that calls for
  // most.
  [[nodiscard]] std::optional<Shift> Add(const Interval& interval, const std::optional<RateWindow>& window);
  // The same of the demand alone.
  [[nodiscard]] std::optional<Shift> AddDemand(const Interval& interval);

 private:
  // Gathers enough items for one sample.
  struct Signal {
    ShiftDetector detector;
    double items = 0;
    double busy = 0;  // seconds
    double elapsed = 0;
  };
  // `busy`: seconds, by `inside` workers or consumers at once.
  [[nodiscard]] std::optional<double> Sample(Signal& signal, const Interval& interval, double items,
                                             double busy, double inside) const;

  WatchSettings settings_;
  std::vector<Signal> costs_;
  Signal demand_;
  std::map<std::size_t, ShiftDetector> rates_;  // by phase
  std::size_t phase_ = 0;
};

}  // namespace sluice::autotune

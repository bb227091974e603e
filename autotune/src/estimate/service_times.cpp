#include "estimate/service_times.h"

#include <algorithm>

namespace sluice::autotune {
namespace {

// A log2 bucket's mean and mean square over its lower end, for values spread evenly inside it.
constexpr double kBucketMean = 1.5;
constexpr double kBucketSquare = 7.0 / 3;
// What even spread inside one bucket alone would report: a fixed time has a variability of nothing.
constexpr double kBucketVariability = kBucketSquare / (kBucketMean * kBucketMean) - 1;

constexpr auto kBucketLow = [] {
  std::array<double, kLatencyBuckets> low{};
  low[0] = 1;
  for (std::size_t b = 1; b < low.size(); ++b) low[b] = 2 * low[b - 1];
  return low;
}();

}  // namespace

void ServiceTimes::Add(const LatencyHistogram& seen) {
  for (std::size_t b = 0; b < items_.size(); ++b) items_[b] += static_cast<double>(seen[b]);
}

void ServiceTimes::Scale(double factor) {
  for (double& items : items_) items *= factor;
}

double ServiceTimes::Variability() const {
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t b = 0; b < items_.size(); ++b) {
    const double low = kBucketLow[b];
    count += items_[b];
    sum += items_[b] * kBucketMean * low;
    squares += items_[b] * kBucketSquare * low * low;
  }
  if (sum <= 0) return 0;
  return std::max(0.0, squares * count / (sum * sum) - 1 - kBucketVariability);
}

}  // namespace sluice::autotune

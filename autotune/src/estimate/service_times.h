// ServiceTimes: how the time per item is spread, of an op or of the consumer, as far as log2 buckets show it.
// Inside a bucket values count as spread evenly. Values.
#pragma once
#include <array>

#include "sluice/base/snapshot.h"

namespace sluice::autotune {

class ServiceTimes {
 public:
  void Add(const LatencyHistogram& seen);
  // What was seen so far counts for so much less.
  void Scale(double factor);

  // Squared coefficient of variation; 0 of a fixed time, and where nothing was seen.
  [[nodiscard]] double Variability() const;

 private:
  std::array<double, kLatencyBuckets> items_{};
};

}  // namespace sluice::autotune

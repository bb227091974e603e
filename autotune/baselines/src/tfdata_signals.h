// What tf.data remembers between rounds beside lifetime totals: the mean of each op's time per element with
// exponential forgetting, the consumer's gaps, and the prefetch buffer's own tuner. One thread each.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::baselines {

// Seconds per element, each element with weight 0.1.
class TfMovingMeans {
 public:
  static constexpr double kWeight = 0.1;

  void Add(const Snapshot& seen);
  // nullopt until every op has finished an element.
  [[nodiscard]] std::optional<std::vector<double>> Get() const;

 private:
  std::optional<Snapshot> previous_;
  std::vector<std::optional<double>> means_;
};

// Times between the consumer's taking an element and asking for the next: its own time.
class TfGapTimes {
 public:
  static constexpr std::size_t kWindow = 100;
  static constexpr double kLongest = 10;  // seconds; longer gaps are dropped
  static constexpr double kOutlier = 2;   // standard deviations above the mean

  void Add(const Snapshot& seen);
  // The mean without outliers, in seconds; 0 (as fast as possible) until the window is full.
  [[nodiscard]] double Target() const;

 private:
  std::optional<Snapshot> previous_;
  std::deque<double> gaps_;
};

// Doubles the buffer once it was seen full and then seen empty.
class TfPrefetchTuner {
 public:
  static constexpr std::int64_t kThreshold = 2048;  // beyond it grows by this much

  // The new limit, where it grows.
  [[nodiscard]] std::optional<std::int64_t> Next(const Snapshot& seen, std::size_t connector);

 private:
  bool was_full_ = false;
  ConnectorReading previous_;
};

}  // namespace sluice::baselines

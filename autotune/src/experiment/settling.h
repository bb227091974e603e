// Settling: waits until a change can be seen in full, counted in items rather than in seconds: what was under
// way before it must have left, and workers that it starts must be there. One thread.
#pragma once
#include "experiment/settings.h"
#include "observe/interval.h"

namespace sluice::autotune {

class Settling {
 public:
  // Settled at once.
  Settling() = default;
  // After so many items of op `finest`, one of each of its workers, and the settings' number of consumer
  // items.
  Settling(double under_way, std::size_t finest, const ExperimentSettings& settings);

  void Add(const Interval& interval);
  [[nodiscard]] bool done() const;

 private:
  double under_way_ = 0;
  double consumer_left_ = 0;
  std::size_t finest_ = 0;
  double floor_ = 0;
  double cap_ = 0;
  double seconds_ = 0;
  double start_cap_ = 0;
  double starting_ = 0;  // seconds in which workers were starting
};

}  // namespace sluice::autotune

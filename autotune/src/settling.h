// Settling: waits until a change can be seen in full, counted in items rather than in seconds: what was under
// way before it must have left, and buffers that fill must be full. One thread.
#pragma once
#include "interval.h"
#include "sluice/autotune/auto_tune.h"

namespace sluice {

class Settling {
 public:
  // Settled at once.
  Settling() = default;
  // `items` of op `finest` and the settings' number of consumer items.
  Settling(double items, std::size_t finest, const AutoTuneSettings& settings);

  void Add(const Interval& interval);
  [[nodiscard]] bool done() const;

 private:
  double items_left_ = 0;
  double consumer_left_ = 0;
  std::size_t finest_ = 0;
  double floor_ = 0;
  double cap_ = 0;
  double seconds_ = 0;
};

// Items of op `finest` that were under way, plus those that buffers behind it take in before they are full
// (only where the consumer, not the pipeline, will be the limit).
[[nodiscard]] double ItemsToSettle(const Snapshot& seen, const std::vector<double>& visits,
                                   std::size_t finest, bool buffers_fill);

}  // namespace sluice

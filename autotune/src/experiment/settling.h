// Settling: waits until a change can be seen in full, counted in items rather than in seconds: what was under
// way before it must have left, and buffers that fill must be full. One thread.
#pragma once
#include "observe/interval.h"
#include "sluice/autotune/auto_tune.h"

namespace sluice::autotune {

// Items of op `finest` before a change shows in full.
struct ItemsAhead {
  double under_way = 0;
  double filling = 0;  // what buffers take in
};

class Settling {
 public:
  // Settled at once.
  Settling() = default;
  // After the items under way and the settings' number of consumer items, those that fill buffers, unless the
  // consumer turns out to starve: nothing fills then.
  Settling(ItemsAhead ahead, std::size_t finest, const AutoTuneSettings& settings);

  void Add(const Interval& interval);
  [[nodiscard]] bool done() const;

 private:
  ItemsAhead ahead_;  // less what has been made
  double consumer_left_ = 0;
  std::size_t finest_ = 0;
  double floor_ = 0;
  double cap_ = 0;
  double seconds_ = 0;
};

// The items that were under way, plus those that buffers behind the op take in before they are full (only
// where the consumer, not the pipeline, will be the limit).
[[nodiscard]] ItemsAhead ItemsToSettle(const Snapshot& seen, const std::vector<double>& visits,
                                       std::size_t finest, bool buffers_fill);

}  // namespace sluice::autotune

#include "tfdata_signals.h"

#include <algorithm>
#include <cmath>

#include "pipeline.h"
#include "window.h"

namespace sluice::baselines {

void TfMovingMeans::Add(const Snapshot& seen) {
  const Window window = Between(previous_.value_or(Snapshot{}), seen);
  means_.resize(seen.ops.size());
  for (std::size_t i = 0; i < seen.ops.size(); ++i) {
    // Before the first call there were no snapshots, but totals since the start of the run.
    const OpWindow op = previous_
                            ? window.ops[i]
                            : OpWindow{static_cast<double>(seen.ops[i].items), Seconds(seen.ops[i].busy), 0};
    if (op.items <= 0) continue;
    const double mean = op.busy / op.items;
    const double kept = std::pow(1 - kWeight, op.items);
    std::optional<double>& known = means_[i];
    known = known ? *known * kept + mean * (1 - kept) : mean;
  }
  previous_ = seen;
}

std::optional<std::vector<double>> TfMovingMeans::Get() const {
  std::vector<double> all;
  for (const std::optional<double>& mean : means_) {
    if (!mean) return std::nullopt;
    all.push_back(*mean);
  }
  return all;
}

void TfGapTimes::Add(const Snapshot& seen) {
  if (previous_) {
    const Window window = Between(*previous_, seen);
    const double gap = window.consumer_items > 0 ? window.consumer_busy / window.consumer_items : kLongest;
    const auto times = static_cast<std::size_t>(std::min<double>(window.consumer_items, kWindow));
    if (gap < kLongest) gaps_.insert(gaps_.end(), times, gap);
    while (gaps_.size() > kWindow) gaps_.pop_front();
  }
  previous_ = seen;
}

double TfGapTimes::Target() const {
  if (gaps_.size() < kWindow) return 0;
  double sum = 0;
  double squares = 0;
  for (const double gap : gaps_) {
    sum += gap;
    squares += gap * gap;
  }
  const auto n = static_cast<double>(gaps_.size());
  const double mean = sum / n;
  const double deviation = std::sqrt(std::max(0.0, squares / n - mean * mean));
  double kept = 0;
  double kept_sum = 0;
  for (const double gap : gaps_) {
    if (gap > mean + kOutlier * deviation) continue;
    kept += 1;
    kept_sum += gap;
  }
  return kept > 0 ? kept_sum / kept : mean;
}

std::optional<std::int64_t> TfPrefetchTuner::Next(const Snapshot& seen, std::size_t connector) {
  const ConnectorReading& now = seen.connectors[connector];
  const std::int64_t limit = Capacity(seen, connector);
  const bool empty = now.depth == 0 || now.empty > previous_.empty;
  const bool full = static_cast<std::int64_t>(now.depth) >= limit || now.full > previous_.full;
  previous_ = now;
  if (was_full_ && empty) {
    was_full_ = false;
    return limit >= kThreshold ? limit + kThreshold : limit * 2;
  }
  was_full_ = was_full_ || full;
  return std::nullopt;
}

}  // namespace sluice::baselines

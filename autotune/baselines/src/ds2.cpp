#include "ds2.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline.h"

namespace sluice::baselines {
namespace {

constexpr double kRounding = 1e-6;  // of a worker
constexpr double kMostWorkers = 1e6;

// Final items per second: what the consumer would take, or all the cores could give where it takes no time.
double Target(const Snapshot& seen, const Window& window, const std::vector<double>& visits) {
  if (window.consumer_busy > 0 && window.consumer_items > 0) {
    return window.consumer_items / window.consumer_busy;
  }
  double cpu = 0;
  for (std::size_t i = 0; i < window.ops.size(); ++i) {
    cpu += visits[i] * window.ops[i].cpu / window.ops[i].items;
  }
  return cpu > 0 ? seen.budget.cores / cpu : 0;
}

}  // namespace

void Ds2::Begin(const Snapshot& seen) {
  since_ = seen;
  done_ = false;
}

bool Ds2::IntervalOver(const Snapshot& seen, const Window& window) const {
  if (seen.at - since_.at < kInterval || window.consumer_items <= 0) return false;
  const std::vector<double> visits = Visits(seen);
  const double finest = *std::ranges::max_element(visits);
  for (std::size_t i = 0; i < window.ops.size(); ++i) {
    const double wanted = std::max(1.0, finest > 0 ? kItems * visits[i] / finest : kItems);
    if (window.ops[i].items < wanted) return false;
  }
  return true;
}

Move Ds2::Next(const Snapshot& seen) {
  if (done_) return {};
  const Window window = Between(since_, seen);
  if (!IntervalOver(seen, window)) return {};
  since_ = seen;
  done_ = repeats_ == Ds2Repeats::kOnce;
  return Scale(seen, window);
}

Move Ds2::Scale(const Snapshot& seen, const Window& window) const {
  const std::vector<double> visits = Visits(seen);
  const double target = Target(seen, window, visits);
  Move move;
  for (const std::size_t op : FreeOps(seen)) {
    const double per_item = window.ops[op].busy / window.ops[op].items;  // 1 / true rate
    const double workers = std::min(kMostWorkers, std::ceil(target * visits[op] * per_item - kRounding));
    move.wishes.push_back({WorkersOf(op), std::max<std::int64_t>(1, static_cast<std::int64_t>(workers))});
  }
  move.because = fmt::format("{:.3g} per second are wanted; workers = ceil(target / true rate)", target);
  move.predicted = {target};
  return move;
}

}  // namespace sluice::baselines

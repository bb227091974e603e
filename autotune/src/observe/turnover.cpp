#include "observe/turnover.h"

#include <algorithm>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kHardlyInside = 0.5;  // items
constexpr double kCrowd = 1.5;         // times as many as now are another crowd

}  // namespace

bool Turnover::Add(const Interval& interval) {
  if (interval.state == Cleanliness::kBroken) return false;
  bool old = false;
  if (!On(Rule::kTurnover)) return old;
  for (std::size_t i = 0; i < interval.ops.size(); ++i) {
    const OpInterval& op = interval.ops[i];
    if (op.resized) left_[i] = crowd_[i] = inside_[i];
    old = old || left_[i] > kHardlyInside;
    inside_[i] = interval.seconds > 0 ? op.busy / interval.seconds : 0;
    left_[i] = std::min(left_[i] - op.items, inside_[i]);
    // What was begun while the crowd left has seen it too.
    if (On(Rule::kCrowd) && left_[i] <= kHardlyInside && crowd_[i] > kCrowd * inside_[i]) {
      left_[i] = inside_[i];
      crowd_[i] = 0;
    }
  }
  return old;
}

}  // namespace sluice::autotune

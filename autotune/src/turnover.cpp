#include "turnover.h"

namespace sluice {
namespace {

constexpr double kHardlyInside = 0.5;  // items

}  // namespace

bool Turnover::Add(const Interval& interval) {
  if (interval.state == Cleanliness::kBroken) return false;
  bool old = false;
  for (std::size_t i = 0; i < interval.ops.size(); ++i) {
    const OpInterval& op = interval.ops[i];
    if (op.resized) left_[i] = inside_[i];
    old = old || left_[i] > kHardlyInside;
    left_[i] -= op.items;
    inside_[i] = interval.seconds > 0 ? op.busy / interval.seconds : 0;
  }
  return old;
}

}  // namespace sluice

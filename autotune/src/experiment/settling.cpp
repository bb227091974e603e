#include "experiment/settling.h"

#include <algorithm>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kAllThere = 0.9;  // of the workers that are counted

// Workers are counted that have no time of their own yet: neither at work nor waiting.
bool Starting(const Interval& interval) {
  return std::ranges::any_of(interval.ops, [&](const OpInterval& op) {
    const double there = op.busy + op.starved + op.backed_up;
    return there > 0 && there < kAllThere * op.workers * interval.length;
  });
}

}  // namespace

Settling::Settling(double under_way, std::size_t finest, const ExperimentSettings& settings)
    : under_way_(under_way),
      consumer_left_(On(Rule::kConsumerSettles) ? settings.settle_consumer_items : 0),
      finest_(finest),
      floor_(Seconds(settings.settle_floor)),
      cap_(Seconds(settings.settle_cap)),
      start_cap_(Seconds(settings.start_cap)) {}

void Settling::Add(const Interval& interval) {
  if (On(Rule::kStartUp) && starting_ < start_cap_ && Starting(interval)) {
    starting_ += interval.length;
    return;
  }
  seconds_ += interval.seconds;
  if (interval.state == Cleanliness::kBroken) return;
  under_way_ -= interval.ops[finest_].items;
  consumer_left_ -= interval.consumer_items;
}

bool Settling::done() const {
  if (seconds_ < floor_) return false;
  return seconds_ >= cap_ || (under_way_ <= 0 && consumer_left_ <= 0);
}

}  // namespace sluice::autotune

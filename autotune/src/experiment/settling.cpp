#include "experiment/settling.h"

#include <algorithm>

#include "rule.h"

namespace sluice::autotune {
Settling::Settling(double under_way, std::size_t finest, const ExperimentSettings& settings)
    : under_way_(under_way),
      consumer_left_(On(Rule::kConsumerSettles) ? settings.settle_consumer_items : 0),
      finest_(finest),
      floor_(Seconds(settings.settle_floor)),
      cap_(Seconds(settings.settle_cap)) {}

void Settling::Add(const Interval& interval) {
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

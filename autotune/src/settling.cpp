#include "settling.h"

#include <algorithm>

namespace sluice {

Settling::Settling(double items, std::size_t finest, const AutoTuneSettings& settings)
    : items_left_(items),
      consumer_left_(settings.settle_consumer_items),
      finest_(finest),
      floor_(Seconds(settings.settle_floor)),
      cap_(Seconds(settings.settle_cap)) {}

void Settling::Add(const Interval& interval) {
  seconds_ += interval.seconds;
  if (interval.state == Cleanliness::kBroken) return;
  items_left_ -= interval.ops[finest_].items;
  consumer_left_ -= interval.consumer_items;
}

bool Settling::done() const {
  if (seconds_ < floor_) return false;
  return seconds_ >= cap_ || (items_left_ <= 0 && consumer_left_ <= 0);
}

double ItemsToSettle(const Snapshot& seen, const std::vector<double>& visits, std::size_t finest,
                     bool buffers_fill) {
  double items = seen.ops[finest].workers;
  for (std::size_t c = 0; c < seen.connectors.size(); ++c) {
    const std::size_t from = Index(seen.graph->connectors[c].from);
    if (from < finest) continue;
    const ConnectorReading& reading = seen.connectors[c];
    const double room = static_cast<double>(reading.capacity) - static_cast<double>(reading.depth);
    if (buffers_fill) items += std::max(0.0, room) * visits[finest] / visits[from];
  }
  return items;
}

}  // namespace sluice

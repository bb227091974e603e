#include "experiment/settling.h"

#include <algorithm>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kStarves = 0.5;  // of its time

}  // namespace

Settling::Settling(ItemsAhead ahead, std::size_t finest, const AutoTuneSettings& settings)
    : ahead_(ahead),
      consumer_left_(On(Rule::kConsumerSettles) ? settings.settle_consumer_items : 0),
      finest_(finest),
      floor_(Seconds(settings.settle_floor)),
      cap_(Seconds(settings.settle_cap)) {}

void Settling::Add(const Interval& interval) {
  seconds_ += interval.seconds;
  if (interval.state == Cleanliness::kBroken) return;
  const bool shows = ahead_.under_way <= 0 && consumer_left_ <= 0;
  const double time = interval.consumer_busy + interval.consumer_starved;
  if (shows && interval.consumer_starved > kStarves * time) ahead_.filling = 0;
  ahead_.under_way -= interval.ops[finest_].items;
  consumer_left_ -= interval.consumer_items;
}

bool Settling::done() const {
  if (seconds_ < floor_) return false;
  return seconds_ >= cap_ || (ahead_.under_way + ahead_.filling <= 0 && consumer_left_ <= 0);
}

ItemsAhead ItemsToSettle(const Snapshot& seen, const std::vector<double>& visits, std::size_t finest,
                         bool buffers_fill) {
  ItemsAhead ahead{.under_way = static_cast<double>(seen.ops[finest].workers)};
  for (std::size_t c = 0; c < seen.connectors.size(); ++c) {
    const std::size_t from = Index(seen.graph->connectors[c].from);
    if (from < finest) continue;
    const ConnectorReading& reading = seen.connectors[c];
    const double room = static_cast<double>(reading.capacity) - static_cast<double>(reading.depth);
    if (buffers_fill) ahead.filling += std::max(0.0, room) * visits[finest] / visits[from];
  }
  return ahead;
}

}  // namespace sluice::autotune

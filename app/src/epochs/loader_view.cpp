#include "epochs/loader_view.h"

#include <algorithm>
#include <cstddef>

namespace sluice::app {

const Knob* FindKnob(const Snapshot& seen, KnobKind kind) {
  const auto found = std::ranges::find(seen.knobs, kind, [](const Knob& knob) { return knob.id.kind; });
  return found == seen.knobs.end() ? nullptr : &*found;
}

std::optional<EpochSetting> EpochSettingOf(const Snapshot& seen) {
  const Knob* workers = FindKnob(seen, KnobKind::kWorkers);
  const Knob* capacity = FindKnob(seen, KnobKind::kCapacity);
  if (workers == nullptr || capacity == nullptr) return std::nullopt;
  return EpochSetting{workers->value, capacity->value};
}

double ActiveSeconds(const Snapshot& seen) {
  return Seconds(seen.consumer.busy + seen.consumer.starved);
}

const OpReading* StartUpOf(const Snapshot& seen) {
  for (std::size_t i = 0; seen.graph != nullptr && i < seen.ops.size(); ++i) {
    if (seen.graph->IsPart(i) && seen.graph->ops[i].name == "start-up") return &seen.ops[i];
  }
  return nullptr;
}

std::uint64_t StartsOf(const Snapshot& seen) {
  const OpReading* part = StartUpOf(seen);
  return part == nullptr ? 0 : part->items;
}

}  // namespace sluice::app

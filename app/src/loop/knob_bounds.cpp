#include "loop/knob_bounds.h"

#include <algorithm>

namespace sluice::app {

using exporters::KnobBound;

void KnobBounds::Set(const KnobBound& bound) {
  Lift(bound.knob);
  all_.push_back(bound);
}

void KnobBounds::Lift(KnobId knob) {
  std::erase_if(all_, [&](const KnobBound& bound) { return bound.knob == knob; });
}

std::vector<Knob> KnobBounds::Narrowed(std::vector<Knob> knobs) const {
  for (const KnobBound& bound : all_) {
    const auto knob = std::ranges::find(knobs, bound.knob, &Knob::id);
    if (knob == knobs.end()) continue;
    const std::int64_t most = knob->max;
    knob->min = std::clamp(bound.min, knob->min, std::max(knob->min, most));
    knob->max = std::clamp(bound.max, knob->min, std::max(knob->min, most));
  }
  return knobs;
}

}  // namespace sluice::app

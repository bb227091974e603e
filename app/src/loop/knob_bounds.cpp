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
    const Knob own = *knob;
    knob->min = std::clamp(bound.min, own.min, std::max(own.min, own.max));
    knob->max = std::clamp(bound.max, knob->min, std::max(knob->min, own.max));
  }
  return knobs;
}

}  // namespace sluice::app

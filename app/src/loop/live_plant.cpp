#include "loop/live_plant.h"

#include <utility>

#include "sluice/base/clock.h"

namespace sluice::app {

Snapshot LivePlant::Sense() {
  Snapshot seen = sampler_.Sample(MonoNow(), WallNow());
  seen.topology = topology_;
  seen.device = device_;
  if (budget_ != nullptr) budget_->Narrow(seen);
  knobs_ = seen.knobs;
  seen.knobs = bounds_.Narrowed(std::move(seen.knobs));
  return seen;
}

void LivePlant::Act(const Decision& decision) {
  if (decision.advice) return;
  for (const KnobChange& change : decision.changes) requester_.Request(change.knob, change.to);
}

}  // namespace sluice::app

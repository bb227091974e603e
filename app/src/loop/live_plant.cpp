#include "loop/live_plant.h"

#include "sluice/base/clock.h"

namespace sluice::app {

Snapshot LivePlant::Sense() {
  return sampler_.Sample(MonoNow(), WallNow());
}

void LivePlant::Act(const Decision& decision) {
  if (decision.advice) return;
  for (const KnobChange& change : decision.changes) requester_.Request(change.knob, change.to);
}

}  // namespace sluice::app

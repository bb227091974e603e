#include "sim_knobs.h"

#include <algorithm>

#include "sluice/base/placement.h"

namespace sluice::simulator {
namespace {

Knob WorkersKnob(const SimOp& op, std::uint32_t i) {
  return {.id = {KnobKind::kWorkers, i},
          .name = op.name + ".workers",
          .value = op.workers,
          .requested = op.workers,
          .min = op.min_workers,
          .max = op.serial ? 1 : op.max_workers,
          .holder = op.pin_workers ? Holder::kUser : Holder::kAuto};
}

Knob CapacityKnob(const SimOp& op, std::uint32_t i) {
  return {.id = {KnobKind::kCapacity, i},
          .name = op.name + ".capacity",
          .value = op.capacity,
          .requested = op.capacity,
          .min = op.min_capacity,
          .max = op.max_capacity,
          .holder = op.pin_capacity ? Holder::kUser : Holder::kAuto};
}

Knob PlacementKnob(const SimOp& op, std::uint32_t i, int nodes) {
  return {.id = {KnobKind::kPlacement, i},
          .name = op.name + ".placement",
          .value = 0,
          .requested = 0,
          .min = 0,
          .max = KnobValue({(std::uint64_t{1} << nodes) - 1, {}})};
}

}  // namespace

SimKnobs::SimKnobs(const SimScenario& scenario) {
  for (std::uint32_t i = 0; i < scenario.ops.size(); ++i) {
    knobs_.push_back(WorkersKnob(scenario.ops[i], i));
    knobs_.push_back(CapacityKnob(scenario.ops[i], i));
    if (scenario.machine.placement) {
      knobs_.push_back(PlacementKnob(scenario.ops[i], i, scenario.machine.nodes));
    }
  }
  for (const Knob& knob : knobs_) start_.push_back(knob.value);
}

bool SimKnobs::Request(const Decision& decision) {
  if (decision.advice) return false;
  bool any = false;
  for (const KnobChange& change : decision.changes) {
    const auto knob = std::ranges::find(knobs_, change.knob, &Knob::id);
    const bool by_user = decision.author == Author::kUser;
    if (knob == knobs_.end() || (knob->holder == Holder::kUser && !by_user)) continue;
    if (by_user) knob->holder = Holder::kUser;
    knob->requested = std::clamp(change.to, knob->min, knob->max);
    any = true;
  }
  return any;
}

std::vector<Knob> SimKnobs::Apply() {
  std::vector<Knob> changed;
  for (Knob& knob : knobs_) {
    if (knob.value == knob.requested) continue;
    knob.value = knob.requested;
    ++knob.generation;
    changed.push_back(knob);
  }
  return changed;
}

std::vector<Knob> SimKnobs::Reset() {
  for (std::size_t i = 0; i < knobs_.size(); ++i) knobs_[i].requested = start_[i];
  return Apply();
}

}  // namespace sluice::simulator

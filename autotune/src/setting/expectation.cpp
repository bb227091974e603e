#include "setting/expectation.h"

#include <algorithm>
#include <cmath>

namespace sluice::autotune {
namespace {

constexpr double kBudgetChange = 0.05;  // relative; the memory margin covers less

std::int64_t Value(const Setting& setting, KnobId id) {
  if (id.kind == KnobKind::kWorkers) return setting.workers[id.target];
  return id.kind == KnobKind::kPlacement ? setting.placement[id.target] : setting.capacity[id.target];
}

bool Tunes(const Knob& knob, const Setting& setting) {
  if (knob.id.kind == KnobKind::kWorkers) return knob.id.target < setting.workers.size();
  return knob.id.target <
         (knob.id.kind == KnobKind::kPlacement ? setting.placement.size() : setting.capacity.size());
}

bool Differs(double now, double before) {
  return std::abs(now - before) > kBudgetChange * before;
}

}  // namespace

void Expectation::Accept(const Snapshot& seen) {
  expected_ = before_ = InForce(seen);
  budget_ = seen.budget;
}

void Expectation::Ask(const Snapshot& seen, const std::vector<KnobChange>& changes) {
  before_ = InForce(seen);
  expected_ = With(before_, changes);
}

bool Expectation::ChangedByOthers(const Snapshot& seen) const {
  return Differs(seen.budget.cores, budget_.cores) ||
         Differs(static_cast<double>(seen.budget.memory.count), static_cast<double>(budget_.memory.count)) ||
         std::ranges::any_of(seen.knobs, [&](const Knob& knob) { return KnobChanged(knob); });
}

bool Expectation::KnobChanged(const Knob& knob) const {
  if (!Tunes(knob, expected_) || knob.value != knob.requested) return false;
  return knob.value != Value(expected_, knob.id) && knob.value != Value(before_, knob.id);
}

}  // namespace sluice::autotune

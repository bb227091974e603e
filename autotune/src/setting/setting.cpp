#include "setting/setting.h"

#include <algorithm>

namespace sluice::autotune {
namespace {

constexpr double kSameSize = 0.8;

void Append(std::vector<KnobChange>& changes, const Knob* knob, std::int64_t wanted, bool advising) {
  if (knob == nullptr) return;
  const Range range = Allowed(knob, knob->value, advising);
  const std::int64_t to = std::clamp(wanted, range.least, range.most);
  if (to != knob->value) changes.push_back({knob->id, knob->value, to});
}

void Note(std::vector<const Knob*>& knobs, const Knob& knob) {
  if (knob.id.target >= knobs.size() || knobs[knob.id.target] != nullptr) return;
  knobs[knob.id.target] = &knob;
}

}  // namespace

const Knob* Find(const Snapshot& seen, KnobId id) {
  const auto found = std::ranges::find(seen.knobs, id, &Knob::id);
  return found == seen.knobs.end() ? nullptr : &*found;
}

KnobIndex::KnobIndex(const Snapshot& seen)
    : workers_(seen.ops.size()), capacity_(seen.connectors.size()), placement_(seen.ops.size()) {
  for (const Knob& knob : seen.knobs) {
    if (knob.id.kind == KnobKind::kWorkers) Note(workers_, knob);
    if (knob.id.kind == KnobKind::kCapacity) Note(capacity_, knob);
    if (knob.id.kind == KnobKind::kPlacement) Note(placement_, knob);
  }
}

Setting InForce(const Snapshot& seen) {
  Setting setting;
  for (const OpReading& op : seen.ops) setting.workers.push_back(std::max(op.workers, 1));
  for (const ConnectorReading& c : seen.connectors) {
    setting.capacity.push_back(static_cast<std::int64_t>(c.capacity));
  }
  for (const Knob& knob : seen.knobs) {
    if (knob.id.kind == KnobKind::kWorkers && knob.id.target < setting.workers.size()) {
      setting.workers[knob.id.target] = static_cast<int>(knob.value);
    } else if (knob.id.kind == KnobKind::kCapacity && knob.id.target < setting.capacity.size()) {
      setting.capacity[knob.id.target] = knob.value;
    } else if (knob.id.kind == KnobKind::kPlacement && knob.id.target < setting.workers.size()) {
      setting.placement.resize(setting.workers.size());
      setting.placement[knob.id.target] = knob.value;
    }
  }
  return setting;
}

// A run that wants advice only lets nobody turn its knobs, but is to be told how.
bool IsPinned(const Knob& knob, bool advising) {
  return knob.holder == Holder::kUser && !(advising && knob.held == HeldBecause::kAdvise);
}

Range Allowed(const Knob* knob, std::int64_t present, bool advising) {
  const Range fixed{present, present};
  if (knob == nullptr || IsPinned(*knob, advising) || knob->min > knob->max) return fixed;
  if (knob->takes_effect == TakesEffect::kNextRun && !advising) return fixed;
  return {knob->min, knob->max};
}

Setting With(Setting setting, const std::vector<KnobChange>& changes) {
  for (const KnobChange& change : changes) {
    if (change.knob.kind == KnobKind::kWorkers)
      setting.workers[change.knob.target] = static_cast<int>(change.to);
    if (change.knob.kind == KnobKind::kCapacity) setting.capacity[change.knob.target] = change.to;
    if (change.knob.kind == KnobKind::kPlacement) setting.placement[change.knob.target] = change.to;
  }
  return setting;
}

std::vector<KnobChange> Changes(const KnobIndex& knobs, const Setting& wanted, bool advising) {
  std::vector<KnobChange> changes;
  for (std::size_t i = 0; i < wanted.workers.size(); ++i) {
    Append(changes, knobs.WorkersOf(i), wanted.workers[i], advising);
  }
  for (std::size_t i = 0; i < wanted.capacity.size(); ++i) {
    Append(changes, knobs.CapacityOf(i), wanted.capacity[i], advising);
  }
  for (std::size_t i = 0; i < wanted.placement.size(); ++i) {
    Append(changes, knobs.PlacementOf(i), wanted.placement[i], advising);
  }
  return changes;
}

bool SameTargets(const std::vector<KnobChange>& a, const std::vector<KnobChange>& b) {
  return std::ranges::equal(a, b, [](const KnobChange& x, const KnobChange& y) {
    if (x.knob != y.knob) return false;
    if (x.knob.kind != KnobKind::kCapacity) return x.to == y.to;
    const auto [less, more] = std::minmax(x.to, y.to);
    return static_cast<double>(less) >= kSameSize * static_cast<double>(more);
  });
}

}  // namespace sluice::autotune

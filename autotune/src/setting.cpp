#include "setting.h"

#include <algorithm>

namespace sluice {
namespace {

KnobId WorkersOf(std::size_t op) {
  return {KnobKind::kWorkers, static_cast<std::uint32_t>(op)};
}
KnobId CapacityOf(std::size_t connector) {
  return {KnobKind::kCapacity, static_cast<std::uint32_t>(connector)};
}

void Append(std::vector<KnobChange>& changes, const Snapshot& seen, KnobId id, std::int64_t wanted,
            bool advising) {
  const Knob* knob = Find(seen, id);
  if (knob == nullptr) return;
  const Range range = Allowed(seen, id, knob->value, advising);
  const std::int64_t to = std::clamp(wanted, range.least, range.most);
  if (to != knob->value) changes.push_back({id, knob->value, to});
}

}  // namespace

const Knob* Find(const Snapshot& seen, KnobId id) {
  const auto found = std::ranges::find(seen.knobs, id, &Knob::id);
  return found == seen.knobs.end() ? nullptr : &*found;
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
    }
  }
  return setting;
}

Range Allowed(const Snapshot& seen, KnobId id, std::int64_t present, bool advising) {
  const Knob* knob = Find(seen, id);
  const Range fixed{present, present};
  if (knob == nullptr || knob->holder == Holder::kUser || knob->min > knob->max) return fixed;
  if (knob->takes_effect == TakesEffect::kNextRun && !advising) return fixed;
  return {knob->min, knob->max};
}

Setting With(Setting setting, const std::vector<KnobChange>& changes) {
  for (const KnobChange& change : changes) {
    if (change.knob.kind == KnobKind::kWorkers)
      setting.workers[change.knob.target] = static_cast<int>(change.to);
    if (change.knob.kind == KnobKind::kCapacity) setting.capacity[change.knob.target] = change.to;
  }
  return setting;
}

std::vector<KnobChange> Changes(const Snapshot& seen, const Setting& wanted, bool advising) {
  std::vector<KnobChange> changes;
  for (std::size_t i = 0; i < wanted.workers.size(); ++i) {
    Append(changes, seen, WorkersOf(i), wanted.workers[i], advising);
  }
  for (std::size_t i = 0; i < wanted.capacity.size(); ++i) {
    Append(changes, seen, CapacityOf(i), wanted.capacity[i], advising);
  }
  return changes;
}

}  // namespace sluice

// Setting: the values of all knobs as two plain lists, and what may be done to them. Immutable functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"

namespace sluice::autotune {

struct Setting {
  std::vector<int> workers;            // per op
  std::vector<std::int64_t> capacity;  // per connector
  // Per op, as base/placement.h numbers them; empty: nothing can be placed.
  std::vector<std::int64_t> placement{};
  friend bool operator==(const Setting&, const Setting&) = default;
};

struct Range {
  std::int64_t least = 1;
  std::int64_t most = 1;
};

// What is in force. An op or connector without a knob shows its reading.
[[nodiscard]] Setting InForce(const Snapshot& seen);

// nullptr where there is no such knob.
[[nodiscard]] const Knob* Find(const Snapshot& seen, KnobId id);

// Finds at once; for those who look for every knob. Keeps pointers into the snapshot. Immutable.
class KnobIndex {
 public:
  explicit KnobIndex(const Snapshot& seen);
  // nullptr where there is no such knob.
  [[nodiscard]] const Knob* WorkersOf(std::size_t op) const { return workers_[op]; }
  [[nodiscard]] const Knob* CapacityOf(std::size_t connector) const { return capacity_[connector]; }
  [[nodiscard]] const Knob* PlacementOf(std::size_t op) const { return placement_[op]; }

 private:
  std::vector<const Knob*> workers_;
  std::vector<const Knob*> capacity_;
  std::vector<const Knob*> placement_;
};

// What the controller may choose: the knob's bounds, or only the present value where the user holds the
// knob, there is none (nullptr), or (unless `advising`) it cannot change before the next run.
[[nodiscard]] Range Allowed(const Knob* knob, std::int64_t present, bool advising);

// The changes that lead from what is in force to `wanted`, within what is allowed.
[[nodiscard]] std::vector<KnobChange> Changes(const KnobIndex& knobs, const Setting& wanted, bool advising);

[[nodiscard]] Setting With(Setting setting, const std::vector<KnobChange>& changes);

// Whether both set the same knobs, in the same order, to the same values, buffers to about the same: those
// follow estimates.
[[nodiscard]] bool SameTargets(const std::vector<KnobChange>& a, const std::vector<KnobChange>& b);

}  // namespace sluice::autotune

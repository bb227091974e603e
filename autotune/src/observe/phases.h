// Phases: a concat takes all of one input, then all of the next. While it does, only the ops before that
// input have work, and have it at the full rate; a pipeline without a concat has one phase. Immutable values.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "observe/interval.h"
#include "sluice/base/graph.h"

namespace sluice::autotune {

struct Phase {
  std::vector<bool> active;   // per op: has work
  std::vector<bool> flowing;  // per connector: items are taken from it
};

// At least one. Beyond 64 combinations of concats: one, as if all inputs were taken at once.
[[nodiscard]] std::vector<Phase> PhasesOf(const Graph& graph);

// The phase that all of the interval belongs to; nullopt: it holds a turn from one to the next, or nothing
// was taken.
[[nodiscard]] std::optional<std::size_t> PhaseOf(const std::vector<Phase>& phases, const Interval& interval);

}  // namespace sluice::autotune

// Why the consumer of a pipeline waits, told from the depths of its connectors and from CPU time alone: where
// nobody has counted items or timed workers, as in a profile of another system, there is no capacity model to
// ask. An immutable function.
//
// From source to consumer the connectors' mean fill falls from 1 (a source's input) to 0 (what the consumer
// keeps waiting). Whoever stands where it falls most is the limit: what it takes lies ready, what it gives is
// gone at once.
#pragma once
#include <cstddef>

#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"

namespace sluice::autotune {

// Of the time between the two. `looks`: how often the depths were looked at until `to`. What cannot be told
// is said, with Limit::kUnknown.
[[nodiscard]] Verdict DepthVerdict(const Snapshot& from, const Snapshot& to, std::size_t looks);

}  // namespace sluice::autotune

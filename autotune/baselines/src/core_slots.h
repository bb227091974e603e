// Slots of a scheduler that hands out whole cores, one per worker: cedar's processes, Ray's actors. An op's
// first worker needs none, or a pipeline of more ops than cores could not even run. Immutable functions.
#pragma once
#include "sluice/base/snapshot.h"

namespace sluice::baselines {

// Workers beyond the first of each op whose workers may be moved.
[[nodiscard]] int SlotsTaken(const Snapshot& seen);
[[nodiscard]] int SlotsFree(const Snapshot& seen);

}  // namespace sluice::baselines

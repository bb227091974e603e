// What bounds a budget, and what a process lost to quotas and to others, as JSON (docs/result-json.md).
// Immutable functions.
#pragma once
#include <optional>
#include <vector>

#include "json/json_values.h"
#include "sluice/base/machine_limits.h"
#include "sluice/base/snapshot.h"

namespace sluice::exporters {

[[nodiscard]] Json CoreBoundsJson(const std::vector<CoreBound>& bounds);
[[nodiscard]] Json MemoryBoundsJson(const std::vector<MemoryBound>& bounds);
[[nodiscard]] Json SharedMemoryJson(const MachineLimits& limits);
[[nodiscard]] Json HintsJson(const std::vector<CoreHint>& hints);
// The quotas as of the later snapshot; what they did is of the time between the two.
[[nodiscard]] Json ThrottlingJson(const Snapshot& from, const Snapshot& to);
// Both of the time between the two. Null: nothing is known.
[[nodiscard]] Json PressureJson(const Snapshot& from, const Snapshot& to);
[[nodiscard]] std::optional<Nanos> StealBetween(const Snapshot& from, const Snapshot& to);

}  // namespace sluice::exporters

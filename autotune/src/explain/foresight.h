// Foresight: what the model expects of a setting that somebody else thinks of. Immutable functions.
#pragma once
#include <vector>

#include "observe/rate_windows.h"
#include "propose/planner.h"
#include "sluice/base/forecast.h"

namespace sluice::autotune {

// Models are surer of ratios than of rates, so it is the measured rate that changes as the model's does, up
// to what the consumer could take. `measured`: of what is in force. Larger buffers change no rate here: the
// model is a fluid one.
[[nodiscard]] Forecast Foresee(const Planner& planner, const RateSummary& measured,
                               const std::vector<KnobChange>& changes);

}  // namespace sluice::autotune

// Huge pages and swap. Pure functions of what was read.
#pragma once
#include <vector>

#include "doctor/doctor_words.h"
#include "doctor/measured_runs.h"
#include "sluice/base/units.h"
#include "sluice/probes/huge_pages.h"
#include "sluice/probes/swap_use.h"

namespace sluice::app {

// `item`: the largest item that flows in a measured run, a batch mostly; 0: not known.
[[nodiscard]] std::vector<DoctorCheck> HugePageChecks(const probes::HugePages& pages, Bytes item);
[[nodiscard]] std::vector<DoctorCheck> SwapChecks(const probes::SwapUse& swap,
                                                  const std::vector<MeasuredRun>& runs);
// Of all pipelines; 0: none has held any.
[[nodiscard]] Bytes LargestItem(const std::vector<MeasuredPipeline>& pipelines);

}  // namespace sluice::app

// Measured runs whose threads fight for the cores. Pure functions of what was read.
#pragma once
#include <vector>

#include "doctor/doctor_words.h"
#include "doctor/measured_runs.h"

namespace sluice::app {

// Time in the kernel, threads of libraries, switches that nobody asked for; files they may open.
[[nodiscard]] std::vector<DoctorCheck> ThreadChecks(const std::vector<MeasuredRun>& runs);

}  // namespace sluice::app

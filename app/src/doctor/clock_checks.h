// What holds the clock of the CPUs back. Pure functions of what was read.
#pragma once
#include <vector>

#include "doctor/doctor_words.h"
#include "sluice/probes/cpu_clock.h"

namespace sluice::app {

// Governor, limit, turbo.
[[nodiscard]] std::vector<DoctorCheck> ClockChecks(const probes::CpuClock& clock);

}  // namespace sluice::app

// What `sluice doctor` finds about the machine and the environment: reads limits, /proc and /dev/shm.
#pragma once
#include <string>
#include <vector>

#include "doctor/doctor_check.h"
#include "sluice/base/units.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/wrap/environment.h"

namespace sluice::app {

[[nodiscard]] std::vector<DoctorCheck> CheckMachine(const wrap::Lookup& variable,
                                                    const std::string& segment_folder);

// Pure parts of it.
[[nodiscard]] DoctorCheck CheckSharedMemory(const std::string& folder, Bytes size, Bytes free);
[[nodiscard]] DoctorCheck CheckOpenFiles(std::uint64_t limit);
[[nodiscard]] DoctorCheck CheckCores(const probes::MachineBudget& budget);
[[nodiscard]] std::vector<DoctorCheck> CheckRanks(const wrap::Lookup& variable);

}  // namespace sluice::app

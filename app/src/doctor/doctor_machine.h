// What `sluice doctor` finds about the machine and the environment: reads limits, /proc and /dev/shm.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/process_place.h"
#include "sluice/base/units.h"
#include "sluice/exporters/doctor_list.h"
#include "sluice/probes/machine_budget.h"
#include "sluice/wrap/environment.h"

namespace sluice::app {

[[nodiscard]] std::vector<exporters::DoctorCheck> CheckMachine(const wrap::Lookup& variable,
                                                               const std::string& segment_folder);

// What is pinned where it hinders: this process, and the runs that are measured now.
[[nodiscard]] std::vector<exporters::DoctorCheck> CheckPlaces();

// Pure parts of it.
[[nodiscard]] std::vector<exporters::DoctorCheck> PlaceChecks(const std::vector<PlaceFinding>& findings);
[[nodiscard]] exporters::DoctorCheck CheckSharedMemory(const std::string& folder, Bytes size, Bytes free);
[[nodiscard]] exporters::DoctorCheck CheckOpenFiles(std::uint64_t limit);
[[nodiscard]] exporters::DoctorCheck CheckCores(const probes::MachineBudget& budget);
[[nodiscard]] std::vector<exporters::DoctorCheck> CheckHints(const probes::MachineBudget& budget);
[[nodiscard]] exporters::DoctorCheck CheckMemory(const MachineLimits& limits);
[[nodiscard]] std::vector<exporters::DoctorCheck> CheckRanks(const wrap::Lookup& variable);

}  // namespace sluice::app

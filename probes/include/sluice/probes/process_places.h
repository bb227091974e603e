// Where processes may run and where they ran last: affinity masks, CPUs, the CPUs of their control groups.
// Immutable functions; `root` is prefixed to /proc and /sys.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/process_place.h"

namespace sluice::probes {

// Of the text of /proc/<pid>/environ: what OpenMP runtimes and launchers read to pin threads, in its order.
[[nodiscard]] std::vector<std::string> ParsePinnedBy(std::string_view environ);

// nullopt: no such process. Threads that end meanwhile are left out.
[[nodiscard]] std::optional<ProcessPlace> ReadProcessPlace(int pid, const std::string& root = "");
// The process and all that descend from it, parents first; empty: no such process.
[[nodiscard]] std::vector<ProcessPlace> ReadFamilyPlaces(int pid, const std::string& root = "");

}  // namespace sluice::probes

// Threads of libraries inside worker processes: one per core and worker fight for the same cores, and the
// workers are the parallelism already. Pure function.
#pragma once
#include <optional>
#include <vector>

#include "sluice/exporters/loader_report.h"
#include "sluice/probes/worker_threads.h"

namespace sluice::app {

// What is wrong with the threads of these workers on so many cores; nullopt: nothing. `limited`:
// --tune-threads was given.
[[nodiscard]] std::optional<exporters::CrowdedThreads> FindCrowd(
    const std::vector<probes::WorkerThreads>& workers, double cores, bool limited);

}  // namespace sluice::app

// Starts: settings that a scenario is begun with in place of its file's. A tuner that only ever starts from
// one worker shows nothing of how it does from too many. Immutable functions.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {

inline constexpr std::string_view kAsInFile = "file";  // the scenario's own

// The workers of one op at the start, before they are put within its range. `optimum`: of the first stretch.
using StartWorkers = double (*)(const simulator::SimScenario& scenario, std::size_t op,
                                const simulator::Optimum& optimum);

struct Start {
  std::string_view name;         // "cores"
  std::string_view description;  // one line
  StartWorkers workers;
};

// As in the file first. Static storage.
[[nodiscard]] std::span<const Start> Starts();

// The starts in `list`, separated by commas, each once, in the order of Starts(). An unknown name is an error
// that names the nearest.
[[nodiscard]] Result<std::vector<Start>> StartsNamed(std::string_view list);

// The scenario begun with other workers; all else stays, and so do workers that are no knob: those of serial
// and pinned ops. REQUIRES Validate(scenario); `optimum`: the first of ReachableOptima(scenario).
[[nodiscard]] simulator::SimScenario StartedAt(const Start& start, simulator::SimScenario scenario,
                                               const simulator::Optimum& optimum);

}  // namespace sluice::evaluation

// The scenario of a run: its file, and what the command line adds to it.
#pragma once
#include "run/run_command.h"
#include "sluice/base/error.h"
#include "sluice/runtime/scenario.h"

namespace sluice::app {

// With the settings of `--load` first, so that `--set` has the last word. Errors name the option; that an
// earlier run's settings are of another machine is a warning.
[[nodiscard]] Result<runtime::Scenario> ScenarioOf(const RunOptions& options);

}  // namespace sluice::app

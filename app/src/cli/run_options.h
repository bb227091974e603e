// The command line of `sluice run`. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "run/run_command.h"

namespace sluice::app {

void AddRun(CLI::App& app, RunOptions& options);

}  // namespace sluice::app

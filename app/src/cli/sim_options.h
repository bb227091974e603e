// The command line of `sluice sim`. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "sim/sim_command.h"

namespace sluice::app {

void AddSim(CLI::App& app, SimOptions& options);

}  // namespace sluice::app

// The command line of `sluice topology`. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "topology/topology_command.h"

namespace sluice::app {

void AddTopology(CLI::App& app, TopologyOptions& options);

}  // namespace sluice::app

// The command lines of what looks at running processes and their machine. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "top/top_command.h"
#include "topology/place_command.h"
#include "topology/topology_command.h"

namespace sluice::app {

void AddTop(CLI::App& app, TopOptions& options);
void AddTopology(CLI::App& app, TopologyOptions& options);
void AddPlace(CLI::App& app, PlaceOptions& options);

}  // namespace sluice::app

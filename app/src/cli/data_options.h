// The command line of `sluice data`. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "data/data_command.h"

namespace sluice::app {

void AddData(CLI::App& app, DataOptions& options);

}  // namespace sluice::app

// The command line of `sluice top`. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "top/top_command.h"

namespace sluice::app {

void AddTop(CLI::App& app, TopOptions& options);

}  // namespace sluice::app

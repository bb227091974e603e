// The command line of `sluice ui`.
#pragma once
#include <CLI/CLI.hpp>

#include "ui/ui_command.h"

namespace sluice::app {

void AddUi(CLI::App& app, UiOptions& options);

}  // namespace sluice::app

// The command line of `sluice ui` and of `sluice-ui`.
#pragma once
#include <CLI/CLI.hpp>

#include "ui/ui_command.h"

namespace sluice::app {

// To `app` itself.
void AddUiOptions(CLI::App& app, UiOptions& options);
void AddUi(CLI::App& app, UiOptions& options);

}  // namespace sluice::app

// The command line of `sluice import`: what other systems have recorded, as sessions.
#pragma once
#include <CLI/CLI.hpp>

#include "session/import_command.h"

namespace sluice::app {

void AddImport(CLI::App& app, ImportOptions& options);

}  // namespace sluice::app

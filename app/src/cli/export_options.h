// The command line of `sluice export`: what other programs need to know of Sluice and of its runs.
#pragma once
#include <CLI/CLI.hpp>

#include "session/export_command.h"

namespace sluice::app {

void AddExport(CLI::App& app, ExportOptions& settings);

// Prints what `all`, the verb, was asked for. Returns the exit status.
[[nodiscard]] int Export(const CLI::App& all, const ExportOptions& settings);

}  // namespace sluice::app

// The command line of `sluice bench`. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "sim/bench_command.h"

namespace sluice::app {

void AddBench(CLI::App& app, BenchOptions& options);

}  // namespace sluice::app

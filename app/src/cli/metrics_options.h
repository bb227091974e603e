// The options for metrics, and for who watches and steers, that verbs share. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "control/control_options.h"
#include "loop/metrics_outlet.h"

namespace sluice::app {

// `whose`: "Prometheus metrics", "Prometheus metrics of all loaders and ranks".
void AddMetrics(CLI::App& verb, MetricsOptions& options, const std::string& whose);

// --no-control, --listen, --token-file.
void AddControl(CLI::App& verb, ControlOptions& options);

}  // namespace sluice::app

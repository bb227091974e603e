// The options for metrics that verbs share. Program start only.
#pragma once
#include <CLI/CLI.hpp>

#include "loop/metrics_outlet.h"

namespace sluice::app {

// `whose`: "Prometheus metrics", "Prometheus metrics of all loaders and ranks".
void AddMetrics(CLI::App& verb, MetricsOptions& options, const std::string& whose);

}  // namespace sluice::app

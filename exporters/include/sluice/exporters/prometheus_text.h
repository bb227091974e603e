// Prometheus text exposition (format 0.0.4) of one snapshot, or of one for each pipeline of a run. Immutable
// functions. Every metric is described in docs/metrics.md. What could not be measured has no sample.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"

namespace sluice::exporters {

// Labels of sluice_run_info. Identity, not data: no paths, no arguments.
struct RunIdentity {
  std::string scenario;
  std::string run_id;
  std::string version;
};

[[nodiscard]] std::string PrometheusText(const RunIdentity& run, const Snapshot& now,
                                         const DecisionLog& decisions);

// One of several pipelines: its samples have the labels `loader` and, where it is known, `rank`. What is
// measured of a process has `pid` instead of `loader`, and is taken from the first pipeline in it.
struct PipelineMetrics {
  std::string loader;  // unique among those of its rank
  std::optional<int> rank;
  int pid = 0;
  const Snapshot* now = nullptr;
  const DecisionLog* decisions = nullptr;
};
[[nodiscard]] std::string PrometheusText(const RunIdentity& run, std::span<const PipelineMetrics> pipelines);

}  // namespace sluice::exporters

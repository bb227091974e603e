// Prometheus text exposition (format 0.0.4) of one snapshot. Immutable functions. Every metric is described
// in docs/metrics.md. What could not be measured has no sample.
#pragma once
#include <string>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"

namespace sluice {

// Labels of sluice_run_info. Identity, not data: no paths, no arguments.
struct RunIdentity {
  std::string scenario;
  std::string run_id;
  std::string version;
};

[[nodiscard]] std::string PrometheusText(const RunIdentity& run, const Snapshot& now,
                                         const DecisionLog& decisions);

}  // namespace sluice

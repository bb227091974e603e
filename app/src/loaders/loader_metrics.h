// WrapMetrics: which loaders of a wrapped run its metrics name, and how. Pure functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/exporters/exposition.h"

namespace sluice::app {

struct MeasuredLoader {
  std::string program;  // "train.py: train_loader (Photos)"
  std::optional<int> rank;
  int pid = 0;
  bool over = false;  // its process is gone, or has made another one in its place
  const Snapshot* now = nullptr;
  const exporters::DecisionLog* decisions = nullptr;
  const Verdict* verdict = nullptr;
  const std::vector<exporters::Exemplars>* exemplars = nullptr;
  std::optional<exporters::WorkerSeries> workers{};
};

// In the order in which they appeared. Of loaders of one name and rank, those that are over make room for
// their successors; of several that live, the second is called "... #2".
[[nodiscard]] std::vector<exporters::PipelineMetrics> MetricsOf(const std::vector<MeasuredLoader>& loaders);

}  // namespace sluice::app

#include "loaders/loader_metrics.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sluice::app {
namespace {

using Key = std::pair<std::string, std::optional<int>>;

Key KeyOf(const MeasuredLoader& loader) {
  return {loader.program, loader.rank};
}

// Counters of loaders that follow each other start anew, as those of a process that was started again.
bool HasSuccessor(const std::vector<MeasuredLoader>& loaders, std::size_t at) {
  const auto later = loaders.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  const auto same = [&](const MeasuredLoader& other) { return KeyOf(other) == KeyOf(loaders[at]); };
  const auto lives = [&](const MeasuredLoader& other) { return same(other) && !other.over; };
  return std::any_of(later, loaders.end(), same) || std::ranges::any_of(loaders, lives);
}

}  // namespace

std::vector<exporters::PipelineMetrics> MetricsOf(const std::vector<MeasuredLoader>& loaders) {
  std::vector<exporters::PipelineMetrics> metrics;
  std::map<Key, int> seen;
  for (std::size_t i = 0; i < loaders.size(); ++i) {
    const MeasuredLoader& loader = loaders[i];
    if (loader.over && HasSuccessor(loaders, i)) continue;
    const int number = ++seen[KeyOf(loader)];
    const std::string name = number == 1 ? loader.program : loader.program + " #" + std::to_string(number);
    metrics.push_back({name, loader.rank, loader.pid, loader.now, loader.decisions, loader.verdict,
                       loader.exemplars, loader.workers});
  }
  return metrics;
}

}  // namespace sluice::app

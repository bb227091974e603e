#include "sluice/exporters/loader_report.h"

#include <algorithm>
#include <cmath>

namespace sluice::exporters {
namespace {

constexpr double kSame = 0.2;  // of an epoch's batches
constexpr double kMostOf = 0.5;
constexpr std::chrono::seconds kShortest{1};  // an epoch's turn is known to a tenth of a second
constexpr std::chrono::seconds kNewest{5};    // that the last epochs are taken from

// The newest epochs like the first one, together as long as a turn's error does not matter.
std::vector<EpochTimes> Newest(const std::vector<EpochTimes>& epochs) {
  std::vector<EpochTimes> newest;
  Nanos sum{0};
  for (auto epoch = epochs.rbegin(); epoch + 1 != epochs.rend() && sum < kNewest; ++epoch) {
    if (epoch->trial) continue;
    newest.push_back(*epoch);
    sum += epoch->active;
  }
  return newest;
}

}  // namespace

std::string_view FindingName(Finding finding) {
  switch (finding) {
    case Finding::kUnknown:
      return "unknown";
    case Finding::kLoop:
      return "loop";
    case Finding::kNoWorkers:
      return "no workers";
    case Finding::kStartUp:
      return "start-up";
    case Finding::kCores:
      return "cores";
    case Finding::kOtherWork:
      return "other work";
    case Finding::kBursts:
      return "bursts";
    case Finding::kSampler:
      return "sampler";
    case Finding::kPin:
      return "pin thread";
    case Finding::kFetchComputes:
      return "fetch computes";
    case Finding::kFetchSleeps:
      return "fetch waits";
    case Finding::kMemory:
      return "memory";
    case Finding::kUneven:
      return "uneven";
    case Finding::kSource:
      return "source";
  }
  return "unknown";
}

std::vector<Finding> AllFindings() {
  std::vector<Finding> all;
  for (int i = 0; i <= static_cast<int>(Finding::kSource); ++i) all.push_back(static_cast<Finding>(i));
  return all;
}

std::int64_t PrefetchFactor(const LoaderSetting& setting) {
  if (setting.workers <= 0) return 1;
  return std::max<std::int64_t>((setting.capacity + 2 * setting.workers - 2) / setting.workers, 1);
}

std::optional<EpochNet> EpochsOf(const std::vector<EpochTimes>& epochs) {
  if (epochs.size() < 2) return std::nullopt;
  const EpochTimes& first = epochs.front();
  const auto alike = [&](const EpochTimes& epoch) {
    return epoch.whole && std::abs(epoch.batches - first.batches) <= kSame * first.batches;
  };
  const std::vector<EpochTimes> newest = Newest(epochs);
  if (!first.whole || first.active < kShortest || newest.empty() || !std::ranges::all_of(newest, alike))
    return std::nullopt;
  Nanos sum{0};
  for (const EpochTimes& epoch : newest) sum += epoch.active;
  return EpochNet{first.active, sum / static_cast<std::int64_t>(newest.size()), epochs.size()};
}

std::optional<Fraction> OffTheCores(const WindowValues& window) {
  if (!window.fetch_busy || !window.fetch_off || !window.fetch_queued) return std::nullopt;
  const double ran = window.fetch_busy->value - window.fetch_queued->value;
  if (ran <= 0) return std::nullopt;
  return Fraction{std::clamp(window.fetch_off->value / ran, 0.0, 1.0)};
}

bool OthersHaveCores(const WindowValues& window) {
  if (!window.machine) return false;
  const CoresUse& use = *window.machine;
  return use.others > use.idle && use.own < kAllCores * (use.own + use.others + use.idle);
}

bool WorkersFallShort(const WindowValues& window) {
  if (!window.waits || !window.fetch_busy || window.fetch_busy->value <= 0) return false;
  const double waits = window.waits->value;
  return 1 - (1 - waits) / window.fetch_busy->value >= kMostOf * waits;
}

}  // namespace sluice::exporters

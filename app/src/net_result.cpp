#include "net_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report_check.h"
#include "sluice/base/text.h"

namespace sluice {
namespace {

constexpr double kSame = 0.2;                 // of an epoch's batches
constexpr std::chrono::seconds kShortest{1};  // an epoch's turn is known to a tenth of a second
constexpr std::chrono::seconds kNewest{5};    // that the last epochs are taken from
constexpr double kWorthSaying = 0.03;

// The newest epochs like the first one, together as long as a turn's error does not matter.
std::vector<EpochTimes> Newest(const std::vector<EpochTimes>& epochs) {
  std::vector<EpochTimes> newest;
  Nanos sum{0};
  for (auto epoch = epochs.rbegin(); epoch + 1 != epochs.rend() && sum < kNewest; ++epoch) {
    newest.push_back(*epoch);
    sum += epoch->active;
  }
  return newest;
}

}  // namespace

std::optional<EpochNet> EpochsOf(const LoaderValues& values) {
  if (values.epochs.size() < 2) return std::nullopt;
  const EpochTimes& first = values.epochs.front();
  const auto alike = [&](const EpochTimes& epoch) {
    return epoch.whole && std::abs(epoch.batches - first.batches) <= kSame * first.batches;
  };
  const std::vector<EpochTimes> newest = Newest(values.epochs);
  if (!first.whole || first.active < kShortest || !std::ranges::all_of(newest, alike)) return std::nullopt;
  Nanos sum{0};
  for (const EpochTimes& epoch : newest) sum += epoch.active;
  return EpochNet{first.active, sum / static_cast<std::int64_t>(newest.size()), values.epochs.size()};
}

namespace {

// Before the first change; else in the first epoch, which has gained from it already.
std::optional<double> SecondsPerBatchAtFirst(const LoaderValues& values) {
  if (values.first && values.first->rate > 0) return 1 / values.first->rate;
  const auto epochs = EpochsOf(values);
  if (!epochs || values.epochs.front().batches <= 0) return std::nullopt;
  return Seconds(epochs->first) / values.epochs.front().batches;
}

}  // namespace

std::optional<Saved> SavedBy(const LoaderValues& values) {
  if (values.start == values.end || !Helped(values)) return std::nullopt;
  const auto each = SecondsPerBatchAtFirst(values);
  if (!each) return std::nullopt;
  const Nanos of = FromSeconds(static_cast<double>(values.batches) * *each);
  if (Seconds(of - values.active) < kWorthSaying * Seconds(of)) return std::nullopt;
  return Saved{of - values.active, of};
}

std::string NetText(const LoaderValues& values) {
  std::string text;
  if (const auto epochs = EpochsOf(values)) {
    text = fmt::format("epoch 1: {}, last of {}: {}", FormatDuration(epochs->first), epochs->count,
                       FormatDuration(epochs->last));
  }
  if (const auto saved = SavedBy(values)) {
    text += fmt::format("{}saved {} of {}", text.empty() ? "" : "; ", FormatDuration(saved->saved),
                        FormatDuration(saved->of));
  }
  return text;
}

}  // namespace sluice

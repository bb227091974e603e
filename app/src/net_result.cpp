#include "net_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "report_check.h"
#include "sluice/base/text.h"

namespace sluice {
namespace {

constexpr double kWorthSaying = 0.03;

// Under the script's own setting: in whole epochs, else before the first change, else in the first epoch,
// which has gained from it already.
std::optional<double> OwnSecondsPerBatch(const LoaderValues& values) {
  if (values.whole_epochs) return values.whole_epochs->own;
  if (values.first && values.first->rate > 0) return 1 / values.first->rate;
  const auto epochs = EpochsOf(values.epochs);
  if (!epochs || values.epochs.front().batches <= 0) return std::nullopt;
  return Seconds(epochs->first - values.longer_first_start) / values.epochs.front().batches;
}

}  // namespace

std::optional<Saved> SavedBy(const LoaderValues& values) {
  if (values.start == values.end || !Helped(values)) return std::nullopt;
  const auto each = OwnSecondsPerBatch(values);
  if (!each) return std::nullopt;
  const Nanos of = FromSeconds(static_cast<double>(values.batches) * *each);
  if (Seconds(of - values.active) < kWorthSaying * Seconds(of)) return std::nullopt;
  return Saved{of - values.active, of};
}

std::string NetText(const LoaderValues& values) {
  std::string text;
  if (const auto epochs = EpochsOf(values.epochs)) {
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

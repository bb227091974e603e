#include "loaders/net_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/base/text.h"
#include "sluice/exporters/loader_check.h"

namespace sluice::exporters {
namespace {

constexpr double kWorthSaying = 0.03;

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

}  // namespace sluice::exporters

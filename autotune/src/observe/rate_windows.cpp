#include "observe/rate_windows.h"

#include <algorithm>
#include <cmath>

namespace sluice::autotune {
namespace {

constexpr std::size_t kMostWindows = 100;
constexpr std::size_t kRecentWindows = 8;
constexpr double kPriorWindows = 3;  // how much the assumed noise weighs
constexpr double kPatience = 3;      // seconds; slower pipelines than that have windows of one item

}  // namespace

bool RateWindows::Long(const OpenWindow& window) const {
  const double served = Share(window.consumer_busy, window.consumer_busy + window.consumer_starved).value;
  const double wanted = std::min(settings_.window_consumer_items * served, settings_.window_consumer_items);
  if (window.seconds < Seconds(settings_.window)) return false;
  if (window.seconds > kPatience) return window.items >= 1;
  return window.items >= settings_.window_items && window.consumer_items >= wanted;
}

std::optional<RateWindow> RateWindows::Add(const Interval& interval, std::size_t finest, double visits) {
  auto& [open, closed] = phases_[phase_];
  open.seconds += interval.seconds;
  open.items += interval.ops[finest].items;
  open.consumer_items += interval.consumer_items;
  open.consumer_busy += interval.consumer_busy;
  open.consumer_starved += interval.consumer_starved;
  if (!Long(open)) return std::nullopt;
  const RateWindow window{open.items / visits / open.seconds, open.seconds};
  if (closed.size() == kMostWindows) closed.erase(closed.begin());
  closed.push_back(window);
  open = {};
  return window;
}

// One item more or less is its noise.
std::optional<RateSummary> RateWindows::Glimpse(double visits) const {
  const OpenWindow& open = phases_[phase_].open;
  if (open.seconds <= 0) return std::nullopt;
  const double items = std::max(1.0, open.items);
  return RateSummary{1, items / visits / open.seconds, std::max(settings_.prior_noise, 1 / items)};
}

void RateWindows::Turn(std::size_t phase) {
  phase_ = phase;
  if (phases_.size() <= phase) phases_.resize(phase + 1);
}

RateSummary RateWindows::Summary() const {
  return SummaryOf(phases_[phase_].closed);
}

RateSummary RateWindows::Recent() const {
  const std::span<const RateWindow> here = phases_[phase_].closed;
  return SummaryOf(here.last(std::min(here.size(), kRecentWindows)));
}

RateSummary RateWindows::SummaryOf(std::span<const RateWindow> windows) const {
  if (windows.empty()) return {.noise = settings_.prior_noise};
  const auto n = static_cast<double>(windows.size());
  double items = 0;
  double seconds = 0;
  for (const RateWindow& window : windows) {
    items += window.rate * window.seconds;
    seconds += window.seconds;
  }
  const double mean = items / seconds;
  double squares = 0;
  for (const RateWindow& window : windows) {
    const double off = window.rate / mean - 1;
    squares += window.seconds / (seconds / n) * off * off;
  }
  const double prior = kPriorWindows * settings_.prior_noise * settings_.prior_noise;
  const double variance = (squares + prior) / (std::max(0.0, n - 1) + kPriorWindows);
  return {windows.size(), mean, std::max(std::sqrt(variance), settings_.least_noise)};
}

}  // namespace sluice::autotune

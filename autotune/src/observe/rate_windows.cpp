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

bool RateWindows::Long() const {
  const double served = Share(consumer_busy_, consumer_busy_ + consumer_starved_).value;
  const double wanted = std::min(settings_.window_consumer_items * served, settings_.window_consumer_items);
  if (seconds_ < Seconds(settings_.window)) return false;
  if (seconds_ > kPatience) return items_ >= 1;
  return items_ >= settings_.window_items && consumer_items_ >= wanted;
}

std::optional<RateWindow> RateWindows::Add(const Interval& interval, std::size_t finest, double visits) {
  seconds_ += interval.seconds;
  items_ += interval.ops[finest].items;
  consumer_items_ += interval.consumer_items;
  consumer_busy_ += interval.consumer_busy;
  consumer_starved_ += interval.consumer_starved;
  if (!Long()) return std::nullopt;
  const RateWindow window{items_ / visits / seconds_, seconds_};
  if (windows_.size() == kMostWindows) windows_.erase(windows_.begin());
  windows_.push_back(window);
  seconds_ = items_ = consumer_items_ = consumer_busy_ = consumer_starved_ = 0;
  return window;
}

// One item more or less is its noise.
std::optional<RateSummary> RateWindows::Glimpse(double visits) const {
  if (seconds_ <= 0) return std::nullopt;
  const double items = std::max(1.0, items_);
  return RateSummary{1, items / visits / seconds_, std::max(settings_.prior_noise, 1 / items)};
}

void RateWindows::Reset() {
  *this = RateWindows(settings_);
}

RateSummary RateWindows::Summary() const {
  return SummaryOf(windows_);
}

RateSummary RateWindows::Recent() const {
  return SummaryOf(std::span(windows_).last(std::min(windows_.size(), kRecentWindows)));
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

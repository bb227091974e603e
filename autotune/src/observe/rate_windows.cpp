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
  std::vector<RateWindow>& here = windows_[phase_];
  if (here.size() == kMostWindows) here.erase(here.begin());
  here.push_back(window);
  Open();
  return window;
}

// One item more or less is its noise.
std::optional<RateSummary> RateWindows::Glimpse(double visits) const {
  if (seconds_ <= 0) return std::nullopt;
  const double items = std::max(1.0, items_);
  return RateSummary{1, items / visits / seconds_, std::max(settings_.prior_noise, 1 / items)};
}

void RateWindows::Open() {
  seconds_ = items_ = consumer_items_ = consumer_busy_ = consumer_starved_ = 0;
}

void RateWindows::Turn(std::size_t phase) {
  if (phase == phase_) return;
  phase_ = phase;
  if (windows_.size() <= phase) windows_.resize(phase + 1);
  Open();
}

RateSummary RateWindows::Summary() const {
  return SummaryOf(windows_[phase_]);
}

RateSummary RateWindows::Recent() const {
  const std::span<const RateWindow> here = windows_[phase_];
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

#include "stretches.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr double kShortestWindow = 1.0;
constexpr double kItemsPerWindow = 50;
constexpr double kArrived = 0.95;
constexpr std::size_t kStays = 10;  // windows
constexpr double kNoiseSigmas = 2.5;

// Cuts ticks into windows. Where the consumer pauses after each epoch, a window ends with one.
class Cutter {
 public:
  explicit Cutter(const SimScenario& scenario)
      : epoch_(scenario.drain || scenario.pause.count() > 0 ? SimItems(scenario) : 0) {}

  void Begin(Stretch& stretch, double items) {
    open_ = {stretch.from, stretch.from, items, 0};
    taken_ = 0;
  }

  void Add(Stretch& stretch, const RunTick& tick) {
    const double before = open_.items;
    open_.to = Seconds(tick.at);
    open_.items += static_cast<double>(tick.items);
    taken_ += static_cast<double>(tick.items);
    if (open_.to - open_.from < kShortestWindow - 1e-9 || !Complete(before)) return;
    open_.share = taken_ / (open_.to - open_.from) / stretch.optimum.rate.per_second;
    stretch.windows.push_back(open_);
    open_.from = open_.to;
    taken_ = 0;
  }

 private:
  [[nodiscard]] bool Complete(double before) const {
    if (epoch_ > 0) return std::floor(open_.items / epoch_) > std::floor(before / epoch_);
    // Without items at all a window ends by time.
    return taken_ >= kItemsPerWindow || (taken_ == 0 && open_.to - open_.from >= 10 * kShortestWindow);
  }

  const double epoch_;
  ShareWindow open_;
  double taken_ = 0;
};

}  // namespace

std::vector<Stretch> StretchesOf(const SimScenario& scenario, const RunRecord& run,
                                 const std::vector<Optimum>& optima) {
  std::vector<Stretch> stretches;
  Cutter cutter(scenario);
  double items = 0;
  for (const RunTick& tick : run.ticks) {
    const std::size_t next = stretches.size();
    const double begin = stretches.empty() ? 0 : stretches.back().to;
    if (next < optima.size() && begin >= Seconds(optima[next].from)) {
      stretches.push_back({begin, begin, optima[next], {}});
      cutter.Begin(stretches.back(), items);
    }
    cutter.Add(stretches.back(), tick);
    items += static_cast<double>(tick.items);
    stretches.back().to = Seconds(tick.at);
  }
  return stretches;
}

double Deviation(const Stretch& stretch, double since) {
  double n = 0, mean = 0, squares = 0;
  for (const ShareWindow& window : stretch.windows) {
    if (window.from < since) continue;
    const double step = window.share - mean;
    mean += step / ++n;
    squares += step * (window.share - mean);
  }
  return n > 1 ? std::sqrt(squares / (n - 1)) : 0;
}

const ShareWindow* Arrival(const Stretch& stretch, double noise) {
  const auto& windows = stretch.windows;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::size_t end = std::min(windows.size(), i + kStays);
    double sum = 0;
    bool all = true;
    for (std::size_t k = i; k < end; ++k) {
      sum += windows[k].share;
      all = all && windows[k].share >= kArrived - kNoiseSigmas * noise;
    }
    if (all && sum >= kArrived * static_cast<double>(end - i)) return &windows[i];
  }
  return nullptr;
}

}  // namespace sluice

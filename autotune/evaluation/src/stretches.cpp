#include "stretches.h"

#include <algorithm>
#include <cmath>

namespace sluice::evaluation {
namespace {

constexpr double kShortestWindow = 1.0;
constexpr double kItemsPerWindow = 50;
constexpr double kArrived = 0.95;  // of the optimum
constexpr double kShareRounding = 1e-9;
constexpr std::size_t kStays = 10;  // windows
constexpr double kNoiseSigmas = 2.5;
constexpr double kOverdue = 10;     // times the length at the optimum
constexpr double kRounding = 1e-3;  // seconds: ticks add up to whole ones but for this

// Cuts ticks into windows. Where the consumer pauses after each epoch, a window ends with one.
class Cutter {
 public:
  explicit Cutter(const simulator::SimScenario& scenario)
      : epoch_(scenario.drain || scenario.pause.count() > 0 ? simulator::SimItems(scenario) : 0) {}

  void Begin(const Stretch& stretch) {
    open_ = {stretch.from, stretch.from};
    items_ = 0;
    rate_ = stretch.optimum.rate.per_second;
    length_ = std::max(kShortestWindow, (epoch_ > 0 ? epoch_ : kItemsPerWindow) / rate_);
    partial_ = epoch_ > 0 && std::fmod(total_, epoch_) > 0;
  }

  void Add(Stretch& stretch, const RunTick& tick) {
    const double before = total_;
    const auto items = static_cast<double>(tick.items);
    total_ += items;
    items_ += items;
    open_.to = Seconds(tick.at);
    open_.core_seconds += tick.core_seconds;
    if (Length() >= kShortestWindow - kRounding && (Full(before) || Length() >= kOverdue * length_)) {
      Close(stretch);
    }
  }

  void End(Stretch& stretch) {
    if (Length() >= length_ - kRounding) Close(stretch);
  }

 private:
  [[nodiscard]] double Length() const { return open_.to - open_.from; }

  [[nodiscard]] bool Full(double before) const {
    if (epoch_ > 0) return std::floor(total_ / epoch_) > std::floor(before / epoch_);
    return items_ >= kItemsPerWindow;
  }

  // The rest of an epoch says nothing about the rate of whole ones.
  void Close(Stretch& stretch) {
    open_.share = items_ / Length() / rate_;
    if (!partial_) stretch.windows.push_back(open_);
    partial_ = false;
    open_ = {open_.to, open_.to};
    items_ = 0;
  }

  const double epoch_;
  ShareWindow open_;
  double rate_ = 0;
  double length_ = 0;  // of a window at the optimum
  double total_ = 0;   // items since the start
  double items_ = 0;   // in the open window
  bool partial_ = false;
};

}  // namespace

std::vector<Stretch> StretchesOf(const simulator::SimScenario& scenario, const RunRecord& run,
                                 const std::vector<simulator::Optimum>& optima) {
  std::vector<Stretch> stretches;
  Cutter cutter(scenario);
  for (const RunTick& tick : run.ticks) {
    const std::size_t next = stretches.size();
    const double begin = stretches.empty() ? 0 : stretches.back().to;
    if (next < optima.size() && begin >= Seconds(optima[next].from) - kRounding) {
      if (next > 0) cutter.End(stretches.back());
      stretches.push_back({begin, begin, optima[next], {}});
      cutter.Begin(stretches.back());
    }
    cutter.Add(stretches.back(), tick);
    stretches.back().to = Seconds(tick.at);
  }
  if (!stretches.empty()) cutter.End(stretches.back());
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
  const std::size_t least = std::min(kStays, (windows.size() + 1) / 2);
  for (std::size_t i = 0; i + least <= windows.size(); ++i) {
    const std::size_t end = std::min(windows.size(), i + kStays);
    double sum = 0;
    bool all = true;
    for (std::size_t k = i; k < end; ++k) {
      sum += windows[k].share;
      all = all && windows[k].share >= kArrived - kNoiseSigmas * noise;
    }
    const double mean = sum / static_cast<double>(end - i);
    if (all && mean >= kArrived - kShareRounding) return &windows[i];
  }
  return nullptr;
}

}  // namespace sluice::evaluation

// RateWindows: the pipeline's throughput in windows long enough to mean something, and its noise.
//
// A window closes when it is long enough in time, holds enough items of the finest op, and, as far as the
// consumer and not the pipeline sets the pace, enough consumer items: a batch more or less is not noise.
// Where items come in bursts, behind one that takes long, some windows are far shorter than others: each
// counts for as much as it lasted. Each phase of the pipeline has windows of its own, which stay while others
// pass, the open one, too: a phase may be shorter than a window. What is said is said of the present one. One
// thread. Source of the weights: Cochran, Sampling Techniques, 1977, chapter 6 (ratio estimates).
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "observe/interval.h"
#include "observe/settings.h"

namespace sluice::autotune {

// Before a rate is spoken of.
inline constexpr std::size_t kFewWindows = 3;

struct RateWindow {
  double rate = 0;  // consumer items per second
  double seconds = 0;
};

struct RateSummary {
  std::size_t windows = 0;
  double mean = 0;   // consumer items per second, over all their time
  double noise = 0;  // relative standard deviation of one window of mean length, prior included

  // Relative, of the mean. REQUIRES windows > 0.
  [[nodiscard]] double Variance() const { return noise * noise / static_cast<double>(windows); }
};

class RateWindows {
 public:
  explicit RateWindows(const ObserveSettings& settings) : settings_(settings) {}

  // `finest`: the op that is counted, `visits`: its items per consumer item. Returns the window that this
  // interval closes, if it does.
  std::optional<RateWindow> Add(const Interval& interval, std::size_t finest, double visits);
  // The rate of the window that is still open, however short; nullopt where nothing passed.
  [[nodiscard]] std::optional<RateSummary> Glimpse(double visits) const;
  // The phase from now on, the same one or another.
  void Turn(std::size_t phase);
  [[nodiscard]] RateSummary Summary() const;
  // Of the last few windows: what to speak of.
  [[nodiscard]] RateSummary Recent() const;

 private:
  struct OpenWindow {
    double seconds = 0;
    double items = 0;
    double consumer_items = 0;
    double consumer_busy = 0;
    double consumer_starved = 0;
  };
  struct OfPhase {
    OpenWindow open;
    std::vector<RateWindow> closed;  // the latest ones
  };
  [[nodiscard]] RateSummary SummaryOf(std::span<const RateWindow> windows) const;
  [[nodiscard]] bool Long(const OpenWindow& window) const;

  ObserveSettings settings_;
  std::size_t phase_ = 0;
  std::vector<OfPhase> phases_ = std::vector<OfPhase>(1);
};

}  // namespace sluice::autotune

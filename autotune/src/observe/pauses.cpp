#include "observe/pauses.h"

#include <algorithm>
#include <vector>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr std::size_t kSteps = 9;
constexpr std::size_t kFewSteps = 3;  // before it is known what is usual
constexpr double kPatience = 3;       // seconds; a first step that is longer is a warm-up
constexpr double kUsual = 3;          // times the median step

void Append(Interval& to, const Interval& next) {
  to.at = next.at;
  to.seconds += next.seconds;
  for (std::size_t i = 0; i < to.ops.size(); ++i) {
    OpInterval& op = to.ops[i];
    const OpInterval& more = next.ops[i];
    op.items += more.items;
    op.bytes += more.bytes;
    op.cpu += more.cpu;
    op.wait += more.wait;
    op.busy += more.busy;
    op.starved += more.starved;
    op.backed_up += more.backed_up;
    for (std::size_t b = 0; b < kLatencyBuckets; ++b) op.latency[b] += more.latency[b];
  }
  for (std::size_t c = 0; c < to.taken.size(); ++c) to.taken[c] += next.taken[c];
  to.consumer_items += next.consumer_items;
  to.consumer_steps += next.consumer_steps;
  for (std::size_t b = 0; b < kLatencyBuckets; ++b) to.consumer_times[b] += next.consumer_times[b];
  to.consumer_busy += next.consumer_busy;
  to.consumer_starved += next.consumer_starved;
  to.process_cpu += next.process_cpu;
}

}  // namespace

void Pauses::Fold(Interval& interval) {
  if (!On(Rule::kPauses)) return;
  if (interval.state == Cleanliness::kPaused) {
    if (still_)
      Append(*still_, interval);
    else
      still_ = interval;
    return;
  }
  if (interval.state == Cleanliness::kClean && still_ && still_->seconds <= Longest()) {
    Append(*still_, interval);
    still_->state = Cleanliness::kClean;
    interval = *still_;
  }
  still_.reset();
  Note(interval);
}

void Pauses::Note(const Interval& interval) {
  if (interval.state == Cleanliness::kBroken) {
    taken_.reset();
    return;
  }
  if (interval.consumer_items < 1) return;
  if (taken_) steps_.push_back(Seconds(interval.at - *taken_) / interval.consumer_items);
  if (steps_.size() > kSteps) steps_.pop_front();
  taken_ = interval.at;
}

double Pauses::Longest() const {
  if (steps_.size() < kFewSteps) return kPatience;
  std::vector<double> sorted(steps_.begin(), steps_.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return kUsual * *middle;
}

}  // namespace sluice::autotune

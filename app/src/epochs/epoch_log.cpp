#include "epochs/epoch_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice::app {
namespace {

constexpr std::size_t kMost = 1000;
constexpr double kSame = 0.2;                 // of an epoch's batches
constexpr std::chrono::seconds kShortest{1};  // an epoch's turn is known to a tenth of a second
constexpr std::chrono::seconds kNewest{5};    // that the last epochs are taken from

// The newest epochs like the first one, together as long as a turn's error does not matter.
std::vector<EpochTimes> Newest(const std::vector<EpochTimes>& epochs) {
  std::vector<EpochTimes> newest;
  Nanos sum{0};
  for (auto epoch = epochs.rbegin(); epoch + 1 != epochs.rend() && sum < kNewest; ++epoch) {
    if (epoch->trial) continue;
    newest.push_back(*epoch);
    sum += epoch->active;
  }
  return newest;
}

}  // namespace

std::optional<EpochNet> EpochsOf(const std::vector<EpochTimes>& epochs) {
  if (epochs.size() < 2) return std::nullopt;
  const EpochTimes& first = epochs.front();
  const auto alike = [&](const EpochTimes& epoch) {
    return epoch.whole && std::abs(epoch.batches - first.batches) <= kSame * first.batches;
  };
  const std::vector<EpochTimes> newest = Newest(epochs);
  if (!first.whole || first.active < kShortest || newest.empty() || !std::ranges::all_of(newest, alike))
    return std::nullopt;
  Nanos sum{0};
  for (const EpochTimes& epoch : newest) sum += epoch.active;
  return EpochNet{first.active, sum / static_cast<std::int64_t>(newest.size()), epochs.size()};
}

EpochLog::Totals EpochLog::TotalsOf(const ConsumerReading& consumer) {
  return {static_cast<double>(consumer.items), consumer.busy + consumer.starved, consumer.starved};
}

void EpochLog::Add(const Snapshot& seen, bool trial) {
  const Totals now = TotalsOf(seen.consumer);
  if (!epoch_) {
    epoch_ = seen.epoch;
    from_start_ = seen.epoch == 0;
  } else if (*epoch_ != seen.epoch) {
    const Totals turn{(last_.batches + now.batches) / 2, (last_.active + now.active) / 2,
                      (last_.waits + now.waits) / 2};
    Close(turn);
    from_start_ = seen.epoch == *epoch_ + 1;
    epoch_ = seen.epoch;
    begun_ = turn;
  }
  trial_ = trial_ || trial;
  last_ = now;
}

void EpochLog::End() {
  if (epoch_ && last_.batches > begun_.batches) Close(last_);
  epoch_.reset();
}

void EpochLog::Close(const Totals& at) {
  if (epochs_.size() == kMost) epochs_.erase(epochs_.begin() + 1);
  epochs_.push_back({.epoch = *epoch_,
                     .batches = at.batches - begun_.batches,
                     .active = at.active - begun_.active,
                     .waits = at.waits - begun_.waits,
                     .whole = from_start_,
                     .trial = std::exchange(trial_, false)});
}

}  // namespace sluice::app

#include "epochs/epoch_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice::app {
namespace {

constexpr std::size_t kMost = 1000;

}  // namespace

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

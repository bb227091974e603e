#include "epochs/epoch_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sluice/base/check.h"

namespace sluice::app {
namespace {

constexpr std::size_t kMost = 1000;

}  // namespace

EpochLog::Totals EpochLog::TotalsOf(const ConsumerReading& consumer) {
  return {static_cast<double>(consumer.items), consumer.busy + consumer.starved, consumer.starved};
}

EpochLog::Totals EpochLog::TurnBetween(const Totals& before, const Totals& after,
                                       const std::optional<probes::EndedEpoch>& ended) const {
  double share = 0.5;
  const double items = after.batches - before.batches;
  if (from_start_ && items > 0 && ended && ended->number == ended_ + 1) {
    const double last = begun_.batches + static_cast<double>(ended->items);
    share = std::clamp((last - before.batches) / items, 0.0, 1.0);
  }
  const auto between = [&](Nanos from, Nanos to) { return from + FromSeconds(share * Seconds(to - from)); };
  return {std::lerp(before.batches, after.batches, share), between(before.active, after.active),
          between(before.waits, after.waits)};
}

void EpochLog::Add(const Snapshot& seen, bool trial, const std::optional<probes::EndedEpoch>& ended) {
  const Totals now = TotalsOf(seen.consumer);
  if (!epoch_) {
    epoch_ = seen.epoch;
    from_start_ = seen.epoch == 0;
    ended_ = ended ? ended->number : 0;
  } else if (*epoch_ != seen.epoch) {
    const Totals turn = TurnBetween(last_, now, ended);
    Close(turn, ended && ended->number == ended_ + 1 && ended->workers < 0);
    ended_ = ended ? ended->number : 0;
    from_start_ = seen.epoch == *epoch_ + 1;
    epoch_ = seen.epoch;
    begun_ = turn;
  }
  trial_ = trial_ || trial;
  last_ = now;
}

void EpochLog::End() {
  if (epoch_ && last_.batches > begun_.batches) Close(last_, false);
  epoch_.reset();
}

void EpochLog::Close(const Totals& at, bool changed) {
  SLUICE_CHECK(epoch_);
  if (epochs_.size() == kMost) epochs_.erase(epochs_.begin() + 1);
  epochs_.push_back({.epoch = *epoch_,
                     .batches = at.batches - begun_.batches,
                     .active = at.active - begun_.active,
                     .waits = at.waits - begun_.waits,
                     .whole = from_start_,
                     .trial = std::exchange(trial_, false),
                     .changed = changed});
}

}  // namespace sluice::app

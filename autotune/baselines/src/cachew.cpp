#include "cachew.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline.h"
#include "sluice/base/text.h"

namespace sluice::baselines {

void Cachew::Begin(const Snapshot& seen) {
  start_.clear();
  for (std::size_t i = 0; i < seen.ops.size(); ++i) start_.push_back(Workers(seen, i));
  start_workers_ = 1;
  for (const std::size_t op : FreeOps(seen)) start_workers_ = std::max(start_workers_, start_[op]);
  workers_ = start_workers_;
  scaling_ = true;
  settling_ = false;
  reference_.reset();
  stable_ = 0;
  since_ = seen;
  queue_.Reset();
}

std::optional<Cachew::Report> Cachew::Reported(const Snapshot& seen) {
  if (std::ranges::any_of(seen.knobs, &Pending)) {
    since_ = seen;
    queue_.Reset();
    return std::nullopt;
  }
  queue_.Add(seen);
  const Window window = Between(since_, seen);
  if (seen.at - since_.at < kHeartbeat || window.consumer_items < kBatches) return std::nullopt;
  const Report report{workers_, 1 / window.rate(), queue_.Depth(FinalConnector(*seen.graph))};
  since_ = seen;
  queue_.Reset();
  if (std::exchange(settling_, false)) return std::nullopt;
  return report;
}

Move Cachew::Next(const Snapshot& seen) {
  const std::optional<Report> report = Reported(seen);
  if (!report) return {};
  return scaling_ ? Scale(seen, *report) : Hold(seen, *report);
}

Move Cachew::Scale(const Snapshot& seen, const Report& last) {
  if (!reference_) {
    reference_ = last;
    return Go(seen, last.workers + 1, "nothing is known yet: one worker more");
  }
  const double gain = 1 - last.batch_seconds / reference_->batch_seconds;
  if (std::abs(gain) > kUnstable) return {};
  const bool up = last.workers > reference_->workers;
  const bool further = up ? gain > kGainToGrow : gain > -kLossToShrink && last.workers > 1;
  std::string because = fmt::format("batches come {} faster with {} workers than with {}", FormatGain(gain),
                                    last.workers, reference_->workers);
  if (!further) return Converge(seen, *reference_, std::move(because));
  reference_ = last;
  Move move = Go(seen, last.workers + (up ? 1 : -1), std::move(because));
  move.previous = Fate::kKept;
  return move;
}

Move Cachew::Hold(const Snapshot& seen, const Report& last) {
  if (++stable_ <= kStableReports) return {};
  stable_ = 0;
  const bool longer = converged_.queue > 0 && last.queue / converged_.queue > kGrowth;
  const bool slower = last.batch_seconds / converged_.batch_seconds > kGrowth;
  if (!(longer && converged_.workers > 1) && !slower) return {};
  scaling_ = true;
  reference_ = last;
  const bool down = longer && converged_.workers > 1;
  return Go(seen, converged_.workers + (down ? -1 : 1),
            down ? "the result queue grew by half" : "the batch time grew by half");
}

Move Cachew::Converge(const Snapshot& seen, const Report& report, std::string because) {
  scaling_ = false;
  stable_ = 0;
  converged_ = report;
  Move move = Go(seen, report.workers, std::move(because));
  move.previous = Fate::kRolledBack;
  return move;
}

Move Cachew::Go(const Snapshot& seen, int workers, std::string because) {
  workers_ = std::clamp(workers, 1, kMostWorkers);
  settling_ = true;
  Move move;
  for (const std::size_t op : FreeOps(seen)) {
    const int to = std::max(1, start_[op] + workers_ - start_workers_);
    move.wishes.push_back({WorkersOf(op), to});
  }
  move.because = std::move(because);
  return move;
}

}  // namespace sluice::baselines

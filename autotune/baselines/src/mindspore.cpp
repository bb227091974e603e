#include "mindspore.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline.h"
#include "sluice/base/check.h"
#include "sluice/base/text.h"

namespace sluice::baselines {

void MindSporeAutoTune::Begin(const Snapshot& seen) {
  phase_ = Phase::kTime;
  first_item_ = seen.consumer.items;
  first_epoch_ = seen.epoch;
  warm_ = false;
  since_ = seen;
  fills_.Reset();
  best_ = std::numeric_limits<double>::infinity();
  stale_ = 0;
  saved_.clear();
  memory_.reset();
}

Move MindSporeAutoTune::Next(const Snapshot& seen) {
  if (phase_ == Phase::kEnd) return {};
  if (!warm_) {
    const bool epochs = round_ == MindSporeRound::kEpoch;
    warm_ = epochs ? seen.epoch > first_epoch_ : seen.consumer.items - first_item_ >= kWarmUpSteps;
    since_ = seen;
    return {};
  }
  fills_.Add(seen);
  if (!RoundOver(seen)) return {};
  Move move = Round(seen);
  since_ = seen;
  fills_.Reset();
  return move;
}

bool MindSporeAutoTune::RoundOver(const Snapshot& seen) const {
  if (seen.at - since_.at < kMonitor || seen.consumer.items == since_.consumer.items) return false;
  if (round_ == MindSporeRound::kEpoch) return seen.epoch > since_.epoch;
  return seen.consumer.items - since_.consumer.items >= kInterval;
}

Move MindSporeAutoTune::Round(const Snapshot& seen) {
  if (phase_ == Phase::kMemory) return MemoryRound(seen);
  return TimeRound(seen, Between(since_, seen));
}

Move MindSporeAutoTune::TimeRound(const Snapshot& seen, const Window& window) {
  const double batch_seconds = window.seconds / window.consumer_items;
  const bool better = batch_seconds < best_;
  stale_ = better ? 0 : stale_ + 1;
  if (better) {
    best_ = batch_seconds;
    Remember(seen);
  }
  const int patience = round_ == MindSporeRound::kEpoch ? kPatienceEpochs : kPatienceSteps;
  if (generation_ == MindSporeGeneration::kNewer && stale_ > patience) return Restore(seen);
  const double final_fill = FinalFill(seen);
  if (final_fill >= MindSporeRules::kFinalQueueGood) {
    Say({Limit::kConsumer, std::nullopt, "the pipeline is not the bottleneck", {1.0}});
    return {};
  }
  Say({});
  Move move;
  for (const std::size_t op : FreeOps(seen)) {
    const std::optional<std::size_t> output = OutputOf(*seen.graph, op);
    if (!output) continue;
    const int workers = Workers(seen, op);
    const MindSporeOp facts{op,
                            *output,
                            InFill(seen, op),
                            fills_.Fill(seen, *output),
                            window.ops[op].cpu / window.seconds / workers,
                            workers,
                            Capacity(seen, *output)};
    std::ranges::copy(TimePhase(facts, WholeCores(seen)), std::back_inserter(move.wishes));
  }
  move.because = fmt::format("the final queue is {} full, below {}", FormatPercent({final_fill}),
                             FormatPercent({MindSporeRules::kFinalQueueGood}));
  return move;
}

Move MindSporeAutoTune::Restore(const Snapshot& seen) {
  phase_ = Phase::kMemory;
  Move move;
  move.wishes = saved_;
  move.because = fmt::format("no round was faster for {}: back to the best one", stale_);
  std::vector<MindSporeMemoryPhase::Queue> queues;
  for (const std::size_t op : FreeOps(seen)) {
    const std::optional<std::size_t> output = OutputOf(*seen.graph, op);
    if (!output || !Free(seen, CapacityOf(*output))) continue;
    MindSporeMemoryPhase::Queue queue{*output, Capacity(seen, *output), Workers(seen, op)};
    for (const Wish& saved : saved_) {
      if (saved.knob == CapacityOf(*output)) queue.capacity = saved.to;
      if (saved.knob == WorkersOf(op)) queue.floor = saved.to;
    }
    queues.push_back(queue);
  }
  memory_.emplace(std::move(queues), round_ == MindSporeRound::kEpoch ? kShrinkEpochs : kShrinkSteps);
  return move;
}

Move MindSporeAutoTune::MemoryRound(const Snapshot& seen) {
  SLUICE_CHECK(memory_);
  const double final_fill = FinalFill(seen);
  Move move;
  move.wishes = memory_->Round(final_fill);
  move.because = fmt::format("memory phase, the final queue is {} full", FormatPercent({final_fill}));
  if (memory_->done()) phase_ = Phase::kEnd;
  return move;
}

void MindSporeAutoTune::Remember(const Snapshot& seen) {
  saved_.clear();
  for (const Knob& knob : seen.knobs) {
    if (Free(knob)) saved_.push_back({knob.id, knob.value});
  }
}

double MindSporeAutoTune::FinalFill(const Snapshot& seen) const {
  return fills_.Fill(seen, FinalConnector(*seen.graph));
}

double MindSporeAutoTune::InFill(const Snapshot& seen, std::size_t op) const {
  double fill = 1;
  for (const std::size_t input : InputsOf(*seen.graph, op)) fill = std::min(fill, fills_.Fill(seen, input));
  return fill;
}

}  // namespace sluice::baselines

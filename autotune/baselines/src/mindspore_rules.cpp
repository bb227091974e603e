#include "mindspore_rules.h"

#include <algorithm>

#include "pipeline.h"

namespace sluice::baselines {

std::vector<Wish> TimePhase(const MindSporeOp& op, int hardware_threads) {
  using Rules = MindSporeRules;
  std::vector<Wish> wishes;
  int workers = op.workers;
  if (op.in_fill - op.out_fill > Rules::kFillGap || op.cpu_per_worker > Rules::kCpuHigh) {
    workers = std::max(op.workers, std::min(op.workers + Rules::kWorkersStep, hardware_threads));
  }
  if (workers != op.workers) wishes.push_back({WorkersOf(op.op), workers});
  const bool waits_for_input = op.in_fill < Rules::kInputLow || op.out_fill - op.in_fill > Rules::kFillGap;
  if (op.cpu_per_worker < Rules::kCpuLow && waits_for_input) {
    const std::int64_t longer = std::max<std::int64_t>(op.capacity + Rules::kQueueStep, workers);
    wishes.push_back(
        {CapacityOf(op.connector), std::max(op.capacity, std::min(longer, Rules::kLongestQueue))});
  }
  return wishes;
}

std::vector<Wish> MindSporeMemoryPhase::Round(double final_fill) {
  if (done()) return {};
  if (trying_ && final_fill < reference_ * (1 - kTolerance)) {
    const std::size_t connector = queues_[turn_].connector;
    trying_ = false;
    ++turn_;
    return {{CapacityOf(connector), before_}};
  }
  return Shrink(final_fill);
}

std::vector<Wish> MindSporeMemoryPhase::Shrink(double final_fill) {
  for (; turn_ < queues_.size(); ++turn_, trying_ = false) {
    Queue& queue = queues_[turn_];
    if (queue.capacity <= queue.floor) continue;
    if (!trying_) reference_ = final_fill;
    trying_ = true;
    before_ = queue.capacity;
    const auto less = static_cast<std::int64_t>(static_cast<double>(queue.capacity) * factor_);
    queue.capacity = std::max(queue.floor, less);
    return {{CapacityOf(queue.connector), queue.capacity}};
  }
  return {};
}

}  // namespace sluice::baselines

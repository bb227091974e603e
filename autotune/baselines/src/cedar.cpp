#include "cedar.h"

#include <fmt/format.h>

#include <algorithm>

#include "core_slots.h"
#include "pipeline.h"

namespace sluice::baselines {

void Cedar::Begin(const Snapshot& seen) {
  rng_ = Rng(seed_);
  loop_.Start(seen.at);
  since_ = seen;
  fills_.Reset();
  Enter(Phase::kWarmUp);
  looks_left_ = kLooksToShrink;
}

Move Cedar::Next(const Snapshot& seen) {
  fills_.Add(seen);
  if (!loop_.Over(seen.at)) return {};
  Move move = Loop(seen, Between(since_, seen).rate());
  since_ = seen;
  fills_.Reset();
  return move;
}

Move Cedar::Loop(const Snapshot& seen, double rate) {
  ++loops_;
  rates_ += rate;
  switch (phase_) {
    case Phase::kWarmUp:
      if (loops_ < kWarmUp) return {};
      Enter(Phase::kLook);
      return Look(seen);
    case Phase::kLook:
      return Look(seen);
    case Phase::kCheckpoint:
      if (loops_ < kAverage) return {};
      checkpoint_ = rates_ / kAverage;
      return Grow(seen);
    case Phase::kSettle:
      if (loops_ == kSettle) Enter(Phase::kMeasure);
      return {};
    case Phase::kMeasure:
      return loops_ < kAverage ? Move{} : Judge(seen, rates_ / kAverage);
    case Phase::kPause:
      if (loops_ == kPause) Enter(Phase::kLook);
      return {};
  }
  return {};
}

std::vector<Cedar::Buffer> Cedar::Buffers(const Snapshot& seen) const {
  std::vector<Buffer> buffers;
  for (const std::size_t op : FreeOps(seen)) {
    if (const auto output = OutputOf(*seen.graph, op)) buffers.push_back({op, fills_.Fill(seen, *output)});
  }
  std::ranges::sort(buffers, [](const Buffer& a, const Buffer& b) {
    return a.fill != b.fill ? a.fill < b.fill : a.op < b.op;
  });
  return buffers;
}

Move Cedar::Look(const Snapshot& seen) {
  const std::vector<Buffer> buffers = Buffers(seen);
  if (buffers.empty()) return {};
  const double final_fill = fills_.Fill(seen, FinalConnector(*seen.graph));
  const bool bottleneck = final_fill < kLowBuffer || buffers.front().fill < kLowBuffer;
  if (bottleneck) return Relieve(seen, buffers);
  Say({Limit::kConsumer, std::nullopt, "every buffer is at least half full", {0.5}});
  if (looks_left_-- > 0) return {};
  looks_left_ = kLooksToShrink;
  return Shrink(seen, buffers[rng_.Below(buffers.size())].op, "no bottleneck, and it was drawn");
}

Move Cedar::Relieve(const Snapshot& seen, const std::vector<Buffer>& buffers) {
  op_ = buffers.front().op;
  Say({Limit::kOp,
       static_cast<std::uint32_t>(op_),
       fmt::format("{} has the lowest buffer", seen.graph->ops[op_].name),
       {0.5}});
  if (SlotsFree(seen) > 0) {
    Enter(Phase::kCheckpoint);
    return {};
  }
  if (buffers.size() < 2) return {};
  return Shrink(seen, buffers.back().op, "no slot is free, and it has the fullest buffer");
}

Move Cedar::Shrink(const Snapshot& seen, std::size_t op, const char* why) {
  Enter(Phase::kPause);
  return {.wishes = {{WorkersOf(op), std::max(1, Workers(seen, op) - 1)}},
          .because = fmt::format("{}: {}", seen.graph->ops[op].name, why),
          .predicted = {},
          .previous = std::nullopt};
}

Move Cedar::Grow(const Snapshot& seen) {
  Enter(Phase::kSettle);
  return {.wishes = {{WorkersOf(op_), Workers(seen, op_) + 1}},
          .because = fmt::format("{} has the lowest buffer", seen.graph->ops[op_].name),
          .predicted = {},
          .previous = std::nullopt};
}

Move Cedar::Judge(const Snapshot& seen, double average) {
  if (average > checkpoint_ * kWorthIt) {
    checkpoint_ = average;
    Move move;
    if (SlotsFree(seen) > 0) {
      move = Grow(seen);
    } else {
      Enter(Phase::kLook);
    }
    move.previous = Fate::kKept;
    return move;
  }
  Enter(Phase::kLook);
  return {.wishes = {{WorkersOf(op_), std::max(1, Workers(seen, op_) - 1)}},
          .because = "the last worker gave no more than 1 %",
          .predicted = {},
          .previous = Fate::kRolledBack};
}

}  // namespace sluice::baselines

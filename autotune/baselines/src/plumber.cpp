#include "plumber.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline.h"

namespace sluice::baselines {
namespace {

constexpr double kRounding = 1e-6;  // of a core: 2.0000001 cores are two

std::vector<PlumberOp> Rates(const Snapshot& seen, const Window& window) {
  const std::vector<double> visits = Visits(seen);
  std::vector<PlumberOp> ops;
  for (std::size_t i = 0; i < window.ops.size(); ++i) {
    const double items = std::max(1.0, window.ops[i].items);
    ops.push_back({window.ops[i].cpu * visits[i] / items, static_cast<double>(WorkerBounds(seen, i).most)});
  }
  return ops;
}

// CPU time of the process that no op explains is not there to be given away.
double CoresToGive(const Snapshot& seen, const Window& window) {
  double explained = 0;
  for (const OpWindow& op : window.ops) explained += op.cpu;
  const double unexplained = std::max(0.0, window.process_cpu - explained) / window.seconds;
  return std::max(0.0, seen.budget.cores - unexplained);
}

}  // namespace

void Plumber::Begin(const Snapshot& seen) {
  since_ = seen;
  candidate_ = false;
  done_ = false;
}

Move Plumber::Next(const Snapshot& seen) {
  if (done_ || seen.at - since_.at < trace_) return {};
  const Window window = Between(since_, seen);
  const bool traced = std::ranges::all_of(window.ops, [](const OpWindow& op) { return op.items > 0; });
  if (!traced || window.consumer_items <= 0) return {};
  since_ = seen;
  if (candidate_ && window.rate() < rate_before_) return TakeBack();
  Move move = Solve(seen, window);
  if (candidate_) move.previous = Fate::kKept;
  candidate_ = std::ranges::any_of(
      move.wishes, [&](const Wish& wish) { return Workers(seen, wish.knob.target) != wish.to; });
  rate_before_ = window.rate();
  return move;
}

Move Plumber::TakeBack() {
  done_ = true;
  Move move;
  move.wishes = before_;
  move.because = "the pipeline as it was is the faster of the two";
  move.previous = Fate::kRolledBack;
  return move;
}

Move Plumber::Solve(const Snapshot& seen, const Window& window) {
  const PlumberPlan plan = SolvePlumber(Rates(seen, window), CoresToGive(seen, window));
  Name(seen, plan);
  Move move;
  before_.clear();
  for (const std::size_t op : FreeOps(seen)) {
    const int workers = std::max(1, static_cast<int>(std::ceil(plan.cores[op] - kRounding)));
    before_.push_back({WorkersOf(op), Workers(seen, op)});
    move.wishes.push_back({WorkersOf(op), workers});
  }
  move.because = fmt::format("the LP gives {:.3g} root elements per second", plan.rate);
  move.predicted = {plan.rate};
  return move;
}

void Plumber::Name(const Snapshot& seen, const PlumberPlan& plan) {
  if (!plan.capped) {
    Say({Limit::kCores, std::nullopt, "the cores limit the rate", {0.5}});
    return;
  }
  const auto op = static_cast<std::uint32_t>(*plan.capped);
  const bool serial = seen.graph->ops[op].serial;
  Say({serial ? Limit::kSerialOp : Limit::kOp,
       op,
       fmt::format("{} has the lowest rate", seen.graph->ops[op].name),
       {0.5}});
}

}  // namespace sluice::baselines

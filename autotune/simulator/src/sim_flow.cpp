#include "sim_flow.h"

#include <algorithm>
#include <cmath>

namespace sluice::simulator {
namespace {

double BatchesOf(const SimOp& op, double rows) {
  const double batches = rows / op.size;
  return op.drop_remainder ? std::floor(batches) : std::ceil(batches);
}

// Whether the op, or anything before it, is `other`.
bool Above(const SimScenario& scenario, std::size_t op, std::size_t other) {
  if (op == other) return true;
  const auto inputs = InputsOf(scenario, op);
  return std::ranges::any_of(inputs, [&](std::uint32_t i) { return Above(scenario, i, other); });
}

std::vector<SimPhase> TurnsOf(const SimScenario& scenario, std::size_t concat,
                              const std::vector<double>& items, const std::vector<double>& visits) {
  std::vector<SimPhase> phases;
  const auto inputs = InputsOf(scenario, concat);
  for (const std::uint32_t turn : inputs) {
    SimPhase phase{.share = items[turn] / items[concat], .visits = visits};
    for (std::size_t i = 0; i < concat; ++i) {
      if (!Above(scenario, concat, i)) continue;
      phase.visits[i] = Above(scenario, turn, i) ? visits[i] / phase.share : 0;
    }
    phases.push_back(std::move(phase));
  }
  return phases;
}

}  // namespace

std::vector<double> ItemsPerEpoch(const SimScenario& scenario) {
  std::vector<double> items;
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    const SimOp& op = scenario.ops[i];
    const auto inputs = InputsOf(scenario, i);
    double sum = 0;
    double least = inputs.empty() ? 0 : items[inputs[0]];
    for (const std::uint32_t input : inputs) {
      sum += items[input];
      least = std::min(least, items[input]);
    }
    if (op.kind == SimKind::kRange) items.push_back(static_cast<double>(op.count));
    if (op.kind == SimKind::kBatch) items.push_back(BatchesOf(op, sum));
    if (op.kind == SimKind::kZip) items.push_back(least);
    if (op.kind == SimKind::kSynthetic || op.kind == SimKind::kConcat || op.kind == SimKind::kShuffle)
      items.push_back(sum);
  }
  return items;
}

std::vector<SimSize> SizesOf(const SimScenario& scenario) {
  std::vector<SimSize> sizes;
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    const SimOp& op = scenario.ops[i];
    SimSize size;
    for (const std::uint32_t input : InputsOf(scenario, i)) {
      const double one = sizes[input].out;
      size.in = op.kind == SimKind::kConcat ? std::max(size.in, one) : size.in + one * op.size;
    }
    size.out = op.allocate.count > 0 ? static_cast<double>(op.allocate.count) : size.in;
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<SimPhase> PhasesOf(const SimScenario& scenario) {
  const std::vector<double> items = ItemsPerEpoch(scenario);
  std::vector<double> visits;
  visits.reserve(items.size());
  for (const double each : items) visits.push_back(each / items.back());
  for (std::size_t i = 0; i < scenario.ops.size(); ++i) {
    if (scenario.ops[i].kind == SimKind::kConcat) return TurnsOf(scenario, i, items, visits);
  }
  return {{1, visits}};
}

}  // namespace sluice::simulator

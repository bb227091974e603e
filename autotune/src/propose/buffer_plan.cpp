#include "propose/buffer_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kLeastVariability = 0.05;  // no real op is as regular as a clock
constexpr double kMostVariability = 4;      // beyond it buffers are the wrong remedy
constexpr double kDoubleBuffer = 2;         // one item being taken, one ready
constexpr double kMostSlotsPerWorker = 128;
constexpr double kSlotStep = 1.05;

double BoundedVariability(const BufferSide& side) {
  return std::clamp(side.variability, kLeastVariability, kMostVariability);
}

double NormalCdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// E[(S - k)+] of a lognormal S with mean 1 and the given variance.
double ExpectedExcess(double variance, double k) {
  const double square = std::log1p(variance);
  const double sigma = std::sqrt(square);
  const double below = (-std::log(k) - square / 2) / sigma;
  return NormalCdf(below + sigma) - k * NormalCdf(below);
}

// 1, kSlotStep, kSlotStep^2, ... up to the first that is not below kMostSlotsPerWorker.
std::vector<double> SlotSteps() {
  std::vector<double> steps = {1};
  while (steps.back() < kMostSlotsPerWorker) steps.push_back(steps.back() * kSlotStep);
  return steps;
}

double Total(const std::vector<BufferSide>& sides, const std::vector<std::int64_t>& capacities) {
  double bytes = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) bytes += sides[i].bytes * static_cast<double>(capacities[i]);
  return bytes;
}

double RowsPerItem(const Graph& graph, OpId op) {
  return std::max<double>(1, graph.ops[Index(op)].rows_per_item);
}

// Bytes of what one item of every op is made from.
std::vector<double> TakenBytes(const Graph& graph, const std::vector<double>& bytes_per_item) {
  std::vector<double> taken(graph.ops.size(), 0);
  for (const ConnectorInfo& connector : graph.connectors) {
    if (!connector.to) continue;
    const double items = RowsPerItem(graph, *connector.to) / RowsPerItem(graph, connector.from);
    taken[Index(*connector.to)] += std::max(1.0, items) * bytes_per_item[Index(connector.from)];
  }
  return taken;
}

}  // namespace

double OrderingSlots(double makers, double spread, double loss) {
  if (makers <= 1 || !On(Rule::kOrderingSlots)) return 1;
  static const std::vector<double> kSteps = SlotSteps();
  const double variance = std::clamp(spread, kLeastVariability, kMostVariability);
  const auto too_few = [&](double k) { return makers * ExpectedExcess(variance, k) > loss; };
  const auto enough = std::partition_point(kSteps.begin(), std::prev(kSteps.end()), too_few);
  return *enough * makers;
}

std::int64_t WantedCapacity(const BufferSide& side, double loss) {
  const double a = BoundedVariability(side);
  const double balanced = a / (2 * loss);
  const double apart = 1 - std::clamp(side.balance, 0.0, 1.0);
  const double decayed = apart > 0 ? a * std::log(1 / loss) / (2 * apart) : balanced;
  const double slots = std::max({std::min(balanced, decayed), kDoubleBuffer, side.workers,
                                 OrderingSlots(side.makers, side.spread, loss), side.gap});
  return std::clamp(static_cast<std::int64_t>(std::ceil(slots)), side.range.least, side.range.most);
}

std::vector<std::int64_t> FitCapacities(const std::vector<BufferSide>& sides,
                                        const std::vector<std::int64_t>& wanted, double bytes) {
  std::vector<std::int64_t> fitted = wanted;
  double scale = 0;
  for (const BufferSide& side : sides) scale += std::sqrt(BoundedVariability(side) * side.bytes);
  // Connectors that cannot shrink leave less for the others: lower the target until the sum fits.
  for (double target = bytes; Total(sides, fitted) > bytes && target > bytes * 1e-3; target *= 0.8) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (sides[i].bytes <= 0) continue;
      const double share = target * std::sqrt(BoundedVariability(sides[i]) / sides[i].bytes) / scale;
      const auto slots = static_cast<std::int64_t>(std::min(share, static_cast<double>(wanted[i])));
      fitted[i] = std::clamp(slots, sides[i].range.least, std::max(sides[i].range.least, wanted[i]));
    }
  }
  if (Total(sides, fitted) <= bytes) return fitted;
  for (std::size_t i = 0; i < sides.size(); ++i) fitted[i] = sides[i].range.least;
  return fitted;
}

double HeldBytes(const Graph& graph, const std::vector<double>& bytes_per_item, const Setting& setting) {
  double held = 0;
  for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
    const std::size_t from = Index(graph.connectors[c].from);
    held += bytes_per_item[from] * static_cast<double>(setting.capacity[c] + setting.workers[from] - 1);
  }
  const std::vector<double> taken = TakenBytes(graph, bytes_per_item);
  for (std::size_t op = 0; op < taken.size(); ++op) {
    if (!graph.ops[op].passes_on) held += taken[op] * setting.workers[op];
  }
  return held;
}

}  // namespace sluice::autotune

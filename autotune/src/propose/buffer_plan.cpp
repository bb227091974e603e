#include "propose/buffer_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <queue>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kLeastVariability = 0.05;  // no real op is as regular as a clock
constexpr double kMostVariability = 4;      // beyond it buffers are the wrong remedy
constexpr double kDoubleBuffer = 2;         // one item being taken, one ready
constexpr double kMostSlotsPerWorker = 128;
constexpr double kSlotStep = 1.05;
constexpr std::int64_t kPartOfIt = 8;  // by so much of it a connector grows at a time

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

// n E[(S / E[S] - k)+] with k slots per worker.
double OrderLoss(double makers, double spread, double k) {
  return makers * ExpectedExcess(std::clamp(spread, kLeastVariability, kMostVariability), k);
}

// The share of the throughput that a connector of so many slots costs.
double LossAt(const BufferSide& side, std::int64_t capacity) {
  const auto slots = static_cast<double>(std::max<std::int64_t>(capacity, 1));
  const double a = BoundedVariability(side);
  const double apart = 1 - std::clamp(side.balance, 0.0, 1.0);
  const double jitter = std::min(a / (2 * slots), std::exp(-2 * apart * slots / a));
  const bool ordered = side.makers > 1 && On(Rule::kOrderingSlots);
  const double order = ordered ? OrderLoss(side.makers, side.spread, slots / side.makers) : 0;
  return std::max(jitter, order);
}

// A step of one connector.
struct Growth {
  std::size_t side = 0;
  std::int64_t to = 0;
  double saved = 0;  // share of the throughput per byte

  friend bool operator<(const Growth& a, const Growth& b) { return a.saved < b.saved; }
};

Growth GrowthOf(const BufferSide& side, std::size_t i, std::int64_t from, std::int64_t to) {
  const double cost = side.bytes * static_cast<double>(to - from);
  return {i, to, (LossAt(side, from) - LossAt(side, to)) / cost};
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
  const auto too_few = [&](double k) { return OrderLoss(makers, spread, k) > loss; };
  const auto enough = std::partition_point(kSteps.begin(), std::prev(kSteps.end()), too_few);
  return *enough * makers;
}

std::int64_t WantedCapacity(const BufferSide& side, double loss) {
  const double a = BoundedVariability(side);
  const double balanced = a / (2 * loss);
  const double apart = 1 - std::clamp(side.balance, 0.0, 1.0);
  const double decayed = apart > 0 ? a * std::log(1 / loss) / (2 * apart) : balanced;
  const double slots =
      std::max({std::min(balanced, decayed), kDoubleBuffer, side.workers, side.in_order, side.gap});
  return std::clamp(static_cast<std::int64_t>(std::ceil(slots)), side.range.least, side.range.most);
}

// Each byte goes where it saves most: the losses are convex, or nearly, so a step at a time finds the least
// sum.
std::vector<std::int64_t> FitCapacities(const std::vector<BufferSide>& sides,
                                        const std::vector<std::int64_t>& wanted, double bytes) {
  if (Total(sides, wanted) <= bytes) return wanted;
  std::vector<std::int64_t> fitted = wanted;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i].bytes > 0) fitted[i] = sides[i].range.least;
  }
  double left = bytes - Total(sides, fitted);
  std::priority_queue<Growth> growths;
  const auto offer = [&](std::size_t i) {
    const auto affordable = static_cast<std::int64_t>(std::max(0.0, left) / sides[i].bytes);
    const std::int64_t step = std::max<std::int64_t>(1, fitted[i] / kPartOfIt);
    const std::int64_t more = std::min({step, affordable, wanted[i] - fitted[i]});
    if (more > 0) growths.push(GrowthOf(sides[i], i, fitted[i], fitted[i] + more));
  };
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i].bytes > 0) offer(i);
  }
  while (!growths.empty()) {
    const Growth next = growths.top();
    growths.pop();
    const double cost = sides[next.side].bytes * static_cast<double>(next.to - fitted[next.side]);
    if (cost <= left) {
      left -= cost;
      fitted[next.side] = next.to;
    }
    offer(next.side);
  }
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

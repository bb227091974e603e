#include "sluice/exporters/interval.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sluice::exporters {
namespace {

Fraction Clamped(double share) {
  return {std::clamp(share, 0.0, 1.0)};
}

std::optional<Fraction> ShareOf(Nanos part, Nanos whole) {
  if (whole <= Nanos(0)) return std::nullopt;
  return Clamped(Seconds(part) / Seconds(whole));
}

// Totals never fall; where they do, the snapshots are of two runs.
std::optional<Rate> RateOf(std::uint64_t from, std::uint64_t to, Nanos length) {
  if (length <= Nanos(0) || to < from) return std::nullopt;
  return Rate{static_cast<double>(to - from) / Seconds(length)};
}

std::optional<Nanos> Difference(std::optional<Nanos> from, std::optional<Nanos> to) {
  if (!from || !to) return std::nullopt;
  return *to - *from;
}

LatencyHistogram Difference(const LatencyHistogram& from, const LatencyHistogram& to) {
  LatencyHistogram counted{};
  std::ranges::transform(to, from, counted.begin(),
                         [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; });
  return counted;
}

// Time is recorded when a state ends, so the recorded sum may fall short of the workers' time, and where
// workers came or went it is the better whole.
Nanos WorkersTime(const OpReading& a, const OpReading& b, Nanos there) {
  const Nanos recorded = (b.busy - a.busy) + (b.starved - a.starved) + (b.backed_up - a.backed_up);
  return std::max(recorded, there * std::min(a.workers, b.workers));
}

void SplitBusy(const OpReading& a, const OpReading& b, Nanos whole, OpInterval& interval) {
  const auto on_cpu = Difference(a.on_cpu, b.on_cpu);
  const auto runnable = Difference(a.runnable, b.runnable);
  if (on_cpu) interval.on_cpu = ShareOf(*on_cpu, whole);
  if (runnable) interval.runnable = ShareOf(*runnable, whole);
  if (a.timed && b.timed && on_cpu && runnable)
    interval.off_cpu = ShareOf(b.busy - a.busy - *on_cpu - *runnable, whole);
}

}  // namespace

OpInterval MeasureOp(const Snapshot& from, const Snapshot& to, std::size_t op, Nanos away) {
  OpInterval interval;
  if (op >= from.ops.size() || op >= to.ops.size() || to.at <= from.at) return interval;
  const OpReading& a = from.ops[op];
  const OpReading& b = to.ops[op];
  const Nanos length = to.at - from.at;
  if (a.items_known && b.items_known) interval.items = RateOf(a.items, b.items, length);
  const Nanos whole = WorkersTime(a, b, length - std::clamp(away, Nanos(0), length));
  if (a.timed && b.timed) {
    interval.busy = ShareOf(b.busy - a.busy, whole);
    interval.starved = ShareOf(b.starved - a.starved, whole);
    interval.backed_up = ShareOf(b.backed_up - a.backed_up, whole);
  }
  SplitBusy(a, b, whole, interval);
  const LatencyHistogram counted = Difference(a.latency, b.latency);
  interval.p50 = Quantile(counted, {0.5});
  interval.p99 = Quantile(counted, {0.99});
  return interval;
}

ConnectorInterval MeasureConnector(const Snapshot& from, const Snapshot& to, std::size_t connector) {
  ConnectorInterval interval;
  if (connector >= from.connectors.size() || connector >= to.connectors.size() || to.at <= from.at) {
    return interval;
  }
  const ConnectorReading& a = from.connectors[connector];
  const ConnectorReading& b = to.connectors[connector];
  const Nanos length = to.at - from.at;
  interval.empty = ShareOf(b.empty - a.empty, length);
  interval.full = ShareOf(b.full - a.full, length);
  interval.mean_depth = std::max(0.0, b.depth_seconds - a.depth_seconds) / Seconds(length);
  return interval;
}

ConsumerInterval MeasureConsumer(const Snapshot& from, const Snapshot& to) {
  ConsumerInterval interval;
  if (from.at == MonoTime(0) || to.at <= from.at) return interval;
  const ConsumerReading& a = from.consumer;
  const ConsumerReading& b = to.consumer;
  interval.length = to.at - from.at;
  if (a.items_known && b.items_known) interval.items = RateOf(a.items, b.items, interval.length);
  if (a.rows_known && b.rows_known) interval.rows = RateOf(a.rows, b.rows, interval.length);
  if (!a.timed || !b.timed) return interval;
  const Nanos starved = b.starved - a.starved;
  interval.active = std::clamp(starved + (b.busy - a.busy), Nanos(0), interval.length);
  interval.starved = ShareOf(starved, starved + (b.busy - a.busy));
  return interval;
}

std::optional<double> CoresUsed(const Snapshot& from, const Snapshot& to) {
  if (from.at == MonoTime(0) || to.at <= from.at || to.process_cpu < from.process_cpu) return std::nullopt;
  if (!from.cpu_known || !to.cpu_known) return std::nullopt;
  return Seconds(to.process_cpu - from.process_cpu) / Seconds(to.at - from.at);
}

std::optional<Nanos> Quantile(const LatencyHistogram& histogram, Fraction q) {
  const std::uint64_t count = std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
  if (count == 0) return std::nullopt;
  double left = std::clamp(q.value, 0.0, 1.0) * static_cast<double>(count);
  std::size_t bucket = 0;
  while (bucket + 1 < histogram.size() && static_cast<double>(histogram[bucket]) < left) {
    left -= static_cast<double>(histogram[bucket++]);
  }
  const double inside = histogram[bucket] > 0 ? left / static_cast<double>(histogram[bucket]) : 0.0;
  return Nanos(std::llround(std::ldexp(1.0 + std::min(inside, 1.0), static_cast<int>(bucket))));
}

}  // namespace sluice::exporters

#include "ui/scene_of.h"

#include <algorithm>

#include "sluice/exporters/interval.h"
#include "sluice/exporters/view_rows.h"

namespace sluice::app {
namespace {

LatencyHistogram Counted(const LatencyHistogram& from, const LatencyHistogram& to) {
  LatencyHistogram counted{};
  std::ranges::transform(to, from, counted.begin(),
                         [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; });
  return counted;
}

ui::OpFigures FiguresOf(const exporters::OpRow& row, const LatencyHistogram& latency) {
  const exporters::OpInterval& seen = row.seen;
  return {.items = seen.items,
          .busy = seen.busy,
          .starved = seen.starved,
          .backed_up = seen.backed_up,
          .on_cpu = seen.on_cpu,
          .runnable = seen.runnable,
          .off_cpu = seen.off_cpu,
          .p50 = seen.p50,
          .p90 = exporters::Quantile(latency, {0.9}),
          .p99 = seen.p99,
          .p999 = exporters::Quantile(latency, {0.999}),
          .latency = latency,
          .limits = row.limits,
          .workers_wanted = row.workers_wanted};
}

ui::ConsumerFigures FiguresOf(const Snapshot& from, const Snapshot& now) {
  const exporters::ConsumerInterval seen = exporters::MeasureConsumer(from, now);
  const LatencyHistogram waits = Counted(from.consumer.waits, now.consumer.waits);
  return {.items = seen.items,
          .rows = seen.rows,
          .starved = seen.starved,
          .wait_p50 = exporters::Quantile(waits, {0.5}),
          .wait_p99 = exporters::Quantile(waits, {0.99})};
}

template <typename Value>
void Add(ui::Curve& curve, ui::TimeRange over, const std::optional<Value>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<Value, Rate>) {
    curve.Add(over, value->per_second);
  } else if constexpr (std::is_same_v<Value, Fraction>) {
    curve.Add(over, value->value);
  } else {
    curve.Add(over, *value);
  }
}

void ExtendFill(ui::Track& track, const Snapshot& from, const Snapshot& to, ui::TimeRange over) {
  track.fill.resize(to.connectors.size());
  for (std::size_t c = 0; c < to.connectors.size(); ++c) {
    const auto depth = exporters::MeasureConnector(from, to, c).mean_depth;
    const auto capacity = static_cast<double>(to.connectors[c].capacity);
    if (depth && capacity > 0) track.fill[c].Add(over, std::min(1.0, *depth / capacity));
  }
}

}  // namespace

ui::Scene SceneOf(const Snapshot& from, const Snapshot& now, const Verdict& verdict) {
  ui::Scene scene;
  scene.from = from.at;
  scene.now = now;
  scene.verdict = verdict;
  const std::vector<exporters::OpRow> rows = exporters::OpRows(from, now, verdict);
  for (std::size_t op = 0; op < rows.size(); ++op) {
    const bool both = op < from.ops.size();
    scene.ops.push_back(
        FiguresOf(rows[op], both ? Counted(from.ops[op].latency, now.ops[op].latency) : LatencyHistogram{}));
  }
  for (const exporters::ConnectorRow& row : exporters::ConnectorRows(from, now))
    scene.connectors.push_back({row.seen.empty, row.seen.full, row.seen.mean_depth});
  scene.consumer = FiguresOf(from, now);
  scene.cores_used = exporters::CoresUsed(from, now);
  return scene;
}

std::vector<ui::DecisionSeen> DecisionsOf(const exporters::DecisionLog& log, MonoTime until) {
  std::vector<ui::DecisionSeen> seen;
  for (const exporters::LoggedDecision& entry : log.entries()) {
    if (entry.decision.at <= until) seen.push_back({entry.decision, entry.fate, entry.measured});
  }
  return seen;
}

void Extend(ui::Track& track, const Snapshot& from, const Snapshot& to, MonoTime start) {
  const ui::TimeRange over{from.at - start, to.at - start};
  const exporters::ConsumerInterval consumer = exporters::MeasureConsumer(from, to);
  track.all.to = std::max(track.all.to, over.to);
  Add(track.rows, over, to.consumer.rows_known ? consumer.rows : consumer.items);
  Add(track.starved, over, consumer.starved);
  Add(track.cores, over, exporters::CoresUsed(from, to));
  if (to.buffered_known) track.buffered.Add(over, static_cast<double>(to.buffered.count));
  track.busy.resize(to.ops.size());
  for (std::size_t op = 0; op < to.ops.size(); ++op)
    Add(track.busy[op], over, exporters::MeasureOp(from, to, op).busy);
  ExtendFill(track, from, to, over);
}

}  // namespace sluice::app

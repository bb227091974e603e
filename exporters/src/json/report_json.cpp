#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sluice/exporters/run_report.h"

namespace sluice::exporters {
namespace {

using Json = nlohmann::ordered_json;

// Divides, so that 31.2 s are written as 31.2.
double InSeconds(Nanos t) {
  return static_cast<double>(t.count()) / 1e9;
}

std::string_view EndName(RunEnd end) {
  switch (end) {
    case RunEnd::kFinished:
      return "finished";
    case RunEnd::kLimit:
      return "limit";
    case RunEnd::kInterrupted:
      return "interrupted";
    case RunEnd::kFailed:
      return "failed";
  }
  return "unknown";
}

std::string_view EffectName(TakesEffect effect) {
  switch (effect) {
    case TakesEffect::kLive:
      return "live";
    case TakesEffect::kNextEpoch:
      return "next_epoch";
    case TakesEffect::kNextRun:
      return "next_run";
  }
  return "unknown";
}

std::string Underscored(std::string_view words) {
  std::string name(words);
  std::ranges::replace(name, ' ', '_');
  return name;
}

Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json Optional(std::optional<Nanos> t) {
  return t ? Json(InSeconds(*t)) : Json(nullptr);
}
Json Optional(std::optional<Bytes> b) {
  return b ? Json(b->count) : Json(nullptr);
}
Json Optional(std::optional<Rate> r) {
  return r ? Number(r->per_second) : Json(nullptr);
}
Json Optional(std::optional<Fraction> f) {
  return f ? Number(f->value) : Json(nullptr);
}
Json Optional(std::optional<double> d) {
  return d ? Number(*d) : Json(nullptr);
}

// A last bucket holds everything above its lower bound, so it has no upper one.
Json HistogramJson(const LatencyHistogram& histogram) {
  Json buckets = Json::array();
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    if (histogram[b] == 0) continue;
    const bool last = b + 1 == histogram.size();
    buckets.push_back(
        {{"from_seconds", std::ldexp(1e-9, static_cast<int>(b))},
         {"below_seconds", last ? Json(nullptr) : Json(std::ldexp(1e-9, static_cast<int>(b) + 1))},
         {"items", histogram[b]}});
  }
  return buckets;
}

Json OpJson(const RunReport& report, std::size_t op) {
  const OpInfo& info = report.end.graph->ops[op];
  const OpReading& total = report.end.ops[op];
  const OpInterval seen = MeasureOp(report.start, report.end, op);
  return {{"name", info.name},
          {"kind", info.kind},
          {"serial", info.serial},
          {"rows_per_item", info.rows_per_item},
          {"workers", total.workers},
          {"items", total.items},
          {"bytes", total.bytes.count},
          {"failed_rows", total.failed},
          {"busy_seconds", InSeconds(total.busy)},
          {"starved_seconds", InSeconds(total.starved)},
          {"backed_up_seconds", InSeconds(total.backed_up)},
          {"on_cpu_seconds", Optional(total.on_cpu)},
          {"runnable_seconds", Optional(total.runnable)},
          {"items_per_second", Optional(seen.items)},
          {"busy_fraction", Optional(seen.busy)},
          {"starved_fraction", Optional(seen.starved)},
          {"backed_up_fraction", Optional(seen.backed_up)},
          {"latency_p50_seconds", Optional(seen.p50)},
          {"latency_p99_seconds", Optional(seen.p99)},
          {"latency_buckets", HistogramJson(total.latency)}};
}

Json OpName(const Graph& graph, std::optional<OpId> op) {
  return op && Index(*op) < graph.ops.size() ? Json(graph.ops[Index(*op)].name) : Json(nullptr);
}

Json ConnectorJson(const RunReport& report, std::size_t c) {
  const Graph& graph = *report.end.graph;
  const ConnectorInfo& info = graph.connectors[c];
  const ConnectorReading& total = report.end.connectors[c];
  const ConnectorInterval seen = MeasureConnector(report.start, report.end, c);
  return {{"name", info.name},
          {"from", OpName(graph, info.from)},
          {"to", OpName(graph, info.to)},
          {"capacity_items", total.capacity},
          {"depth_items", total.depth},
          {"high_water_items", total.high_water},
          {"buffered_bytes", total.bytes.count},
          {"pushed_items", total.pushed},
          {"popped_items", total.popped},
          {"depth_item_seconds", Number(total.depth_seconds)},
          {"mean_depth_items", Optional(seen.mean_depth)},
          {"empty_seconds", InSeconds(total.empty)},
          {"full_seconds", InSeconds(total.full)},
          {"empty_fraction", Optional(seen.empty)},
          {"full_fraction", Optional(seen.full)}};
}

Json WindowJson(const std::optional<ConsumerInterval>& window) {
  if (!window) return nullptr;
  return {{"length_seconds", InSeconds(window->length)},
          {"items_per_second", Optional(window->items)},
          {"rows_per_second", Optional(window->rows)},
          {"starved_fraction", Optional(window->starved)}};
}

Json ThroughputJson(const RunReport& report) {
  return {{"first_window", WindowJson(report.first_window)},
          {"last_window", WindowJson(report.last_window)},
          {"whole_run", WindowJson(MeasureConsumer(report.start, report.end))},
          {"speedup", Optional(Speedup(report))}};
}

Json FailedRowsJson(const RunReport& report) {
  const RowFailures& rows = report.rows;
  const std::string& file = report.failed_rows_file;
  return {{"failed", rows.failed},
          {"read", rows.read},
          {"different", rows.different},
          {"file", file.empty() ? Json(nullptr) : Json(file)}};
}

Json HistoryJson(const TakenMark& mark, MonoTime start) {
  return {{"at_seconds", InSeconds(mark.at - start)}, {"items", mark.items}, {"rows", mark.rows}};
}

Json SettingJson(const Knob& knob, const std::vector<Knob>& at_start) {
  const auto first = std::ranges::find(at_start, knob.id, &Knob::id);
  return {{"name", knob.name},
          {"start", first == at_start.end() ? Json(nullptr) : Json(first->value)},
          {"end", knob.value},
          {"requested", knob.requested},
          {"min", knob.min},
          {"max", knob.max},
          {"takes_effect", EffectName(knob.takes_effect)},
          {"holder", knob.holder == Holder::kUser ? "user" : "auto"}};
}

Json DecisionEntryJson(const LoggedDecision& entry, const RunReport& report) {
  const Decision& decision = entry.decision;
  Json changes = Json::array();
  for (const KnobChange& change : decision.changes) {
    changes.push_back(
        {{"knob", KnobName(change.knob, report.end.knobs)}, {"from", change.from}, {"to", change.to}});
  }
  return {{"id", decision.id},
          {"at_seconds", InSeconds(decision.at - report.start.at)},
          {"author", decision.author == Author::kUser ? "user" : "controller"},
          {"changes", std::move(changes)},
          {"because", decision.because},
          {"fate", Underscored(FateName(entry.fate))},
          {"before_items_per_second", Number(decision.before.per_second)},
          {"predicted_items_per_second", Number(decision.predicted.per_second)},
          {"measured_items_per_second", Optional(entry.measured)},
          {"predicted_gain_fraction", Optional(Gain(decision.before, decision.predicted))},
          {"measured_gain_fraction", Optional(Gain(decision.before, entry.measured))}};
}

Json VerdictJson(const RunReport& report) {
  const Verdict& verdict = report.verdict;
  std::optional<OpId> op;
  if (verdict.op) op = OpId{*verdict.op};
  return {{"limit", LimitName(verdict.limit)},
          {"op", report.end.graph ? OpName(*report.end.graph, op) : Json(nullptr)},
          {"sentence", verdict.sentence},
          {"confidence_fraction", Number(verdict.confidence.value)}};
}

Json MachineJson(const MachineShape& machine) {
  return {{"cpu", machine.cpu},
          {"logical_cpus", machine.logical_cpus},
          {"numa_nodes", machine.numa_nodes},
          {"memory_bytes", Optional(machine.memory)}};
}

Json BudgetJson(const Snapshot& end) {
  return {{"cores", Number(end.budget.cores)},
          {"memory_bytes", end.budget.memory.count > 0 ? Json(end.budget.memory.count) : Json(nullptr)}};
}

Json ProcessJson(const Snapshot& end) {
  return {{"cpu_seconds", InSeconds(end.process_cpu)},
          {"rss_bytes", Optional(end.rss)},
          {"throttled_seconds", Optional(end.throttled)},
          {"buffered_bytes", end.buffered.count},
          {"buffered_peak_bytes", end.buffered_peak.count}};
}

Json ConsumerJson(const ConsumerReading& consumer) {
  return {{"items", consumer.items},
          {"rows", consumer.rows},
          {"busy_seconds", InSeconds(consumer.busy)},
          {"starved_seconds", InSeconds(consumer.starved)}};
}

template <typename Make>
Json List(std::size_t count, Make make) {
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) list.push_back(make(i));
  return list;
}

Json RunJson(const RunReport& report) {
  return {{"scenario", report.scenario},
          {"run_id", report.run_id},
          {"sluice_version", report.version},
          {"started_unix_seconds", InSeconds(report.start.wall)},
          {"duration_seconds", InSeconds(report.end.at - report.start.at)},
          {"epoch", report.end.epoch},
          {"ended", EndName(report.ended)},
          {"error", report.error.empty() ? Json(nullptr) : Json(report.error)},
          {"exit_code", report.exit_code},
          {"warnings", report.warnings}};
}

}  // namespace

std::string_view LimitName(Limit limit) {
  switch (limit) {
    case Limit::kUnknown:
      return "unknown";
    case Limit::kConsumer:
      return "consumer";
    case Limit::kOp:
      return "op";
    case Limit::kSerialOp:
      return "serial_op";
    case Limit::kCores:
      return "cores";
    case Limit::kMemory:
      return "memory";
    case Limit::kStorage:
      return "storage";
    case Limit::kContention:
      return "contention";
  }
  return "unknown";
}

std::string ReportJson(const RunReport& report) {
  const Snapshot& end = report.end;
  const std::size_t ops = end.graph ? std::min(end.ops.size(), end.graph->ops.size()) : 0;
  const std::size_t connectors =
      end.graph ? std::min(end.connectors.size(), end.graph->connectors.size()) : 0;
  const auto& decisions = report.decisions.entries();
  const Json json = {
      {"format", "sluice-result"},
      {"format_version", kResultFormatVersion},
      {"run", RunJson(report)},
      {"machine", MachineJson(report.machine)},
      {"budget", BudgetJson(end)},
      {"verdict", VerdictJson(report)},
      {"failed_rows", FailedRowsJson(report)},
      {"throughput", ThroughputJson(report)},
      {"history", List(report.history.size(),
                       [&](std::size_t i) { return HistoryJson(report.history[i], report.start.at); })},
      {"consumer", ConsumerJson(end.consumer)},
      {"process", ProcessJson(end)},
      {"ops", List(ops, [&](std::size_t i) { return OpJson(report, i); })},
      {"connectors", List(connectors, [&](std::size_t i) { return ConnectorJson(report, i); })},
      {"settings",
       List(end.knobs.size(), [&](std::size_t i) { return SettingJson(end.knobs[i], report.start.knobs); })},
      {"decisions",
       List(decisions.size(), [&](std::size_t i) { return DecisionEntryJson(decisions[i], report); })}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sluice::exporters

#include "sluice/exporters/prometheus_text.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "metrics/metric_builder.h"

namespace sluice::exporters {
namespace {

using Labels = MetricBuilder::Labels;

// Divides, so that 23.64 s are written as 23.64.
double InSeconds(Nanos t) {
  return static_cast<double>(t.count()) / 1e9;
}

std::optional<double> AsSeconds(std::optional<Nanos> t) {
  return t ? std::optional(InSeconds(*t)) : std::nullopt;
}
std::optional<double> AsBytes(std::optional<Bytes> b) {
  return b ? std::optional(static_cast<double>(b->count)) : std::nullopt;
}
double Number(std::integral auto n) {
  return static_cast<double>(n);
}

void AddRun(MetricBuilder& out, const RunIdentity& run) {
  out.Gauge("run_info", "Identity of the run; the value is always 1.",
            {{"scenario", run.scenario}, {"run_id", run.run_id}, {"version", run.version}}, 1);
}

void AddProgress(MetricBuilder& out, const Snapshot& now) {
  out.Gauge("run_finished", "1 once the pipeline has ended and all counters are final.", {}, now.finished);
  out.Gauge("run_epoch", "Epoch that the consumer is in, counted from 0.", {}, Number(now.epoch));
}

void AddOp(MetricBuilder& out, const std::string& name, const OpReading& op) {
  const Labels labels = {{"op", name}};
  out.Counter("op_items_total", "Items that the op has finished.", labels, Number(op.items));
  out.Counter("op_bytes_total", "Bytes of the items that the op has finished.", labels, AsBytes(op.bytes));
  out.Counter("op_failed_rows_total", "Rows that raised an error, were skipped or replaced.", labels,
              Number(op.failed));
  out.Counter("op_busy_seconds_total", "Workers' time inside the op.", labels, InSeconds(op.busy));
  out.Counter("op_starved_seconds_total", "Workers' time without input: the ops before are too slow.", labels,
              InSeconds(op.starved));
  out.Counter("op_backed_up_seconds_total", "Workers' time without room: the ops behind are too slow.",
              labels, InSeconds(op.backed_up));
  out.Counter("op_on_cpu_seconds_total", "Share of the busy time on a core.", labels, AsSeconds(op.on_cpu));
  out.Counter("op_runnable_seconds_total", "Share of the busy time spent waiting for a core.", labels,
              AsSeconds(op.runnable));
  out.Gauge("op_workers", "Workers of the op that are alive.", labels, Number(op.workers));
  out.Histogram("op_item_duration_seconds", "Busy time per item, interpolated from power-of-two buckets.",
                labels, op.latency, InSeconds(op.busy));
}

void AddConnector(MetricBuilder& out, const std::string& name, const ConnectorReading& connector) {
  const Labels labels = {{"connector", name}};
  out.Gauge("connector_depth_items", "Finished items that wait in the connector.", labels,
            Number(connector.depth));
  out.Gauge("connector_capacity_items", "Items that the connector may hold.", labels,
            Number(connector.capacity));
  out.Gauge("connector_buffered_bytes", "Bytes held by the items that wait in the connector.", labels,
            AsBytes(connector.bytes));
  out.Counter("connector_pushed_items_total", "Items put into the connector.", labels,
              Number(connector.pushed));
  out.Counter("connector_popped_items_total", "Items taken from the connector.", labels,
              Number(connector.popped));
  out.Counter("connector_empty_seconds_total", "Time at depth 0: the ops before are too slow.", labels,
              InSeconds(connector.empty));
  out.Counter("connector_full_seconds_total", "Time without room: the ops behind are too slow.", labels,
              InSeconds(connector.full));
  out.Counter("connector_depth_item_seconds_total",
              "Integral of the depth over time; its rate is the mean depth.", labels,
              connector.depth_seconds);
}

void AddConsumer(MetricBuilder& out, const ConsumerReading& consumer) {
  out.Counter("consumer_items_total", "Items that the consumer has taken.", {}, Number(consumer.items));
  out.Counter("consumer_rows_total", "Rows of the items that the consumer has taken.", {},
              Number(consumer.rows));
  out.Counter("consumer_busy_seconds_total", "The consumer's own time.", {}, InSeconds(consumer.busy));
  out.Counter("consumer_starved_seconds_total", "Time that the consumer waited for the pipeline.", {},
              InSeconds(consumer.starved));
}

void AddKnob(MetricBuilder& out, const Knob& knob) {
  const Labels labels = {{"knob", knob.name}};
  out.Gauge("knob_value", "Value in force: workers, items of capacity, or a placement's number.", labels,
            Number(knob.value));
  out.Gauge("knob_requested", "Value asked for last.", labels, Number(knob.requested));
  out.Gauge("knob_min", "Least value allowed.", labels, Number(knob.min));
  out.Gauge("knob_max", "Greatest value allowed.", labels, Number(knob.max));
  out.Gauge("knob_pinned", "1 where the user holds the knob, 0 where tuning may change it.", labels,
            knob.holder == Holder::kUser ? 1 : 0);
}

constexpr std::array kOutcomes =
    std::to_array<std::pair<Fate, const char*>>({{Fate::kKept, "kept"},
                                                 {Fate::kRolledBack, "rolled_back"},
                                                 {Fate::kAdvised, "advised"},
                                                 {Fate::kRejected, "rejected"}});

std::map<std::pair<KnobId, Fate>, int> CountDecisions(const DecisionLog& log) {
  std::map<std::pair<KnobId, Fate>, int> counts;
  for (const LoggedDecision& entry : log.entries()) {
    for (const KnobChange& change : entry.decision.changes) ++counts[{change.knob, entry.fate}];
  }
  return counts;
}

void AddDecisions(MetricBuilder& out, const Snapshot& now, const DecisionLog& log) {
  auto counts = CountDecisions(log);
  for (const Knob& knob : now.knobs) {
    for (const auto& [fate, outcome] : kOutcomes) {
      out.Counter("decisions_total",
                  "Changes of a knob by what became of them; one on trial is not counted yet.",
                  {{"knob", knob.name}, {"outcome", outcome}}, counts[{knob.id, fate}]);
    }
    out.Gauge("knob_on_trial", "1 while the effect of the knob's last change is being measured.",
              {{"knob", knob.name}}, counts[{knob.id, Fate::kTrial}] > 0 ? 1 : 0);
  }
  if (log.entries().empty()) return;
  const Nanos age = now.at - log.entries().back().decision.at;
  out.Gauge("last_decision_timestamp_seconds", "When the last decision was made.", {},
            InSeconds(now.wall - age));
}

void AddBudget(MetricBuilder& out, const Snapshot& now) {
  const std::optional<Bytes> limit =
      now.budget.memory.count > 0 ? std::optional(now.budget.memory) : std::nullopt;
  out.Gauge("buffered_bytes", "Bytes between source and consumer, in connectors and workers.", {},
            AsBytes(now.buffered));
  out.Gauge("buffered_peak_bytes", "Greatest value of sluice_buffered_bytes so far.", {},
            AsBytes(now.buffered_peak));
  out.Gauge("buffered_limit_bytes", "Bytes that may be buffered.", {}, AsBytes(limit));
  out.Gauge("budget_cores", "Cores that the run may use; may be fractional.", {}, now.budget.cores);
}

void AddProcess(MetricBuilder& out, const Snapshot& now) {
  out.Counter("process_cpu_seconds_total", "User and system time of the measured process.", {},
              InSeconds(now.process_cpu));
  out.Gauge("process_resident_memory_bytes", "Resident memory of the measured process.", {},
            AsBytes(now.rss));
  out.Counter("process_throttled_seconds_total", "Time that the cgroup's CPU quota held the process back.",
              {}, AsSeconds(now.throttled));
}

void AddPipeline(MetricBuilder& out, const Snapshot& now, const DecisionLog& decisions) {
  AddProgress(out, now);
  if (now.graph) {
    const std::size_t ops = std::min(now.ops.size(), now.graph->ops.size());
    for (std::size_t i = 0; i < ops; ++i) AddOp(out, now.graph->ops[i].name, now.ops[i]);
    const std::size_t connectors = std::min(now.connectors.size(), now.graph->connectors.size());
    for (std::size_t i = 0; i < connectors; ++i) {
      AddConnector(out, now.graph->connectors[i].name, now.connectors[i]);
    }
  }
  AddConsumer(out, now.consumer);
  for (const Knob& knob : now.knobs) AddKnob(out, knob);
  AddDecisions(out, now, decisions);
  AddBudget(out, now);
}

Labels WithRank(const char* label, std::string value, std::optional<int> rank) {
  Labels labels = {{label, std::move(value)}};
  if (rank) labels.emplace_back("rank", std::to_string(*rank));
  return labels;
}

}  // namespace

std::string PrometheusText(const RunIdentity& run, const Snapshot& now, const DecisionLog& decisions) {
  MetricBuilder out;
  AddRun(out, run);
  AddPipeline(out, now, decisions);
  AddProcess(out, now);
  return prometheus::TextSerializer().Serialize(out.families());
}

std::string PrometheusText(const RunIdentity& run, std::span<const PipelineMetrics> pipelines) {
  MetricBuilder out;
  AddRun(out, run);
  for (const PipelineMetrics& pipeline : pipelines) {
    out.SetCommonLabels(WithRank("loader", pipeline.loader, pipeline.rank));
    AddPipeline(out, *pipeline.now, *pipeline.decisions);
  }
  std::set<int> told;
  for (const PipelineMetrics& pipeline : pipelines) {
    if (!told.insert(pipeline.pid).second) continue;
    out.SetCommonLabels(WithRank("pid", std::to_string(pipeline.pid), pipeline.rank));
    AddProcess(out, *pipeline.now);
  }
  return prometheus::TextSerializer().Serialize(out.families());
}

}  // namespace sluice::exporters

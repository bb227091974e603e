#include "sluice/exporters/exposition.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "metrics/metric_builder.h"
#include "sluice/base/limit_words.h"

namespace sluice::exporters {
namespace {

using enum MetricBuilder::Labels;

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

std::optional<double> Positive(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}
// As Unix time; nullopt where the snapshot does not know its own.
std::optional<double> Moment(const Snapshot& now, MonoTime at) {
  return now.wall.count() > 0 ? std::optional(InSeconds(now.wall - (now.at - at))) : std::nullopt;
}

void AddRun(MetricBuilder& out, const RunIdentity& run) {
  out.Info("sluice_run_info",
           out.With({{"scenario", run.scenario}, {"run_id", run.run_id}, {"version", run.version}}));
  out.Info("sluice_build_info", out.With({{"version", run.version}}));
}

void AddProgress(MetricBuilder& out, const Snapshot& now) {
  out.Gauge("sluice_run_finished", kCommon, now.finished);
  out.Gauge("sluice_run_epoch", kCommon, Number(now.epoch));
  out.Gauge("sluice_snapshot_timestamp_seconds", kCommon, Moment(now, now.at));
}

void AddOp(MetricBuilder& out, const std::string& name, const OpReading& op, const Exemplars& exemplars) {
  const auto labels = out.With({{"op", name}});
  out.Counter("sluice_op_items_total", labels, Number(op.items));
  out.Counter("sluice_op_bytes_total", labels, AsBytes(op.bytes));
  out.Counter("sluice_op_failed_rows_total", labels, Number(op.failed));
  out.Counter("sluice_op_busy_seconds_total", labels, InSeconds(op.busy));
  out.Counter("sluice_op_starved_seconds_total", labels, InSeconds(op.starved));
  out.Counter("sluice_op_backed_up_seconds_total", labels, InSeconds(op.backed_up));
  out.Counter("sluice_op_on_cpu_seconds_total", labels, AsSeconds(op.on_cpu));
  out.Counter("sluice_op_runnable_seconds_total", labels, AsSeconds(op.runnable));
  out.Gauge("sluice_op_workers", labels, Number(op.workers));
  out.Gauge("sluice_op_worker_memory_bytes", labels, Positive(Number(op.worker_memory.count)));
  out.Histogram("sluice_op_item_duration_seconds", labels, op.latency, kItemBounds, InSeconds(op.busy),
                exemplars);
}

void AddWorkers(MetricBuilder& out, const Graph& graph, const WorkerSeries& workers) {
  const std::size_t told = std::min(workers.most, workers.all.size());
  for (const WorkerReading& worker : std::span(workers.all).first(told)) {
    if (Index(worker.op) >= graph.ops.size()) continue;
    const auto labels =
        out.With({{"op", graph.ops[Index(worker.op)].name}, {"worker", std::to_string(worker.number)}});
    out.Counter("sluice_worker_items_total", labels, Number(worker.items));
    out.Counter("sluice_worker_busy_seconds_total", labels, InSeconds(worker.busy));
    out.Counter("sluice_worker_starved_seconds_total", labels, InSeconds(worker.starved));
    out.Counter("sluice_worker_backed_up_seconds_total", labels, InSeconds(worker.backed_up));
  }
  out.Gauge("sluice_workers_without_series", kCommon, Number(workers.all.size() - told));
}

void AddConnector(MetricBuilder& out, const std::string& name, const ConnectorReading& connector) {
  const auto labels = out.With({{"connector", name}});
  out.Gauge("sluice_connector_depth_items", labels, Number(connector.depth));
  out.Gauge("sluice_connector_capacity_items", labels, Number(connector.capacity));
  out.Gauge("sluice_connector_high_water_items", labels, Number(connector.high_water));
  out.Gauge("sluice_connector_buffered_bytes", labels, AsBytes(connector.bytes));
  out.Counter("sluice_connector_pushed_items_total", labels, Number(connector.pushed));
  out.Counter("sluice_connector_popped_items_total", labels, Number(connector.popped));
  out.Counter("sluice_connector_empty_seconds_total", labels, InSeconds(connector.empty));
  out.Counter("sluice_connector_full_seconds_total", labels, InSeconds(connector.full));
  out.Counter("sluice_connector_depth_item_seconds_total", labels, connector.depth_seconds);
}

void AddConsumer(MetricBuilder& out, const ConsumerReading& consumer) {
  out.Counter("sluice_consumer_items_total", kCommon, Number(consumer.items));
  out.Counter("sluice_consumer_rows_total", kCommon, Number(consumer.rows));
  out.Counter("sluice_consumer_busy_seconds_total", kCommon, InSeconds(consumer.busy));
  out.Counter("sluice_consumer_starved_seconds_total", kCommon, InSeconds(consumer.starved));
  out.Counter("sluice_consumer_starting_seconds_total", kCommon, InSeconds(consumer.starting));
  out.Histogram("sluice_step_duration_seconds", kCommon, consumer.steps, kStepBounds,
                InSeconds(consumer.busy));
  out.Histogram("sluice_step_input_wait_seconds", kCommon, consumer.waits, kStepBounds,
                InSeconds(consumer.starved));
}

void AddKnob(MetricBuilder& out, const Knob& knob) {
  const auto labels = out.With({{"knob", knob.name}});
  out.Gauge("sluice_knob_value", labels, Number(knob.value));
  out.Gauge("sluice_knob_requested", labels, Number(knob.requested));
  out.Gauge("sluice_knob_min", labels, Number(knob.min));
  out.Gauge("sluice_knob_max", labels, Number(knob.max));
  out.Gauge("sluice_knob_pinned", labels, knob.holder == Holder::kUser ? 1 : 0);
  out.Gauge("sluice_knob_held", labels, knob.held != HeldBecause::kNot ? 1 : 0);
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

std::map<KnobId, MonoTime> LastChanges(const DecisionLog& log) {
  std::map<KnobId, MonoTime> last;
  for (const LoggedDecision& entry : log.entries()) {
    if (entry.fate == Fate::kAdvised || entry.fate == Fate::kRejected) continue;
    for (const KnobChange& change : entry.decision.changes) last[change.knob] = entry.decision.at;
  }
  return last;
}

void AddFates(MetricBuilder& out, const Snapshot& now, const DecisionLog& log) {
  auto counts = CountDecisions(log);
  for (const Knob& knob : now.knobs) {
    for (const auto& [fate, outcome] : kOutcomes) {
      out.Counter("sluice_decisions_total", out.With({{"knob", knob.name}, {"outcome", outcome}}),
                  counts[{knob.id, fate}]);
    }
    out.Gauge("sluice_knob_on_trial", out.With({{"knob", knob.name}}),
              counts[{knob.id, Fate::kTrial}] > 0 ? 1 : 0);
  }
}

void AddMoments(MetricBuilder& out, const Snapshot& now, const DecisionLog& log) {
  const auto last = LastChanges(log);
  for (const Knob& knob : now.knobs) {
    if (const auto at = last.find(knob.id); at != last.end())
      out.Gauge("sluice_knob_last_change_timestamp_seconds", out.With({{"knob", knob.name}}),
                Moment(now, at->second));
  }
  if (log.entries().empty()) return;
  out.Gauge("sluice_last_decision_timestamp_seconds", kCommon, Moment(now, log.entries().back().decision.at));
}

void AddTrial(MetricBuilder& out, const DecisionLog& log) {
  const auto trial =
      std::ranges::find(log.entries().rbegin(), log.entries().rend(), Fate::kTrial, &LoggedDecision::fate);
  if (trial == log.entries().rend()) return;
  out.Gauge("sluice_trial_predicted_items_per_second", kCommon,
            Positive(trial->decision.predicted.per_second));
  out.Gauge("sluice_trial_before_items_per_second", kCommon, Positive(trial->decision.before.per_second));
}

void AddDecisions(MetricBuilder& out, const Snapshot& now, const DecisionLog& log) {
  AddFates(out, now, log);
  AddMoments(out, now, log);
  AddTrial(out, log);
}

constexpr std::array<Limit, 8> kLimits = {Limit::kUnknown,  Limit::kConsumer,  Limit::kOp,
                                          Limit::kSerialOp, Limit::kCores,     Limit::kMemory,
                                          Limit::kStorage,  Limit::kContention};

void AddVerdict(MetricBuilder& out, const Snapshot& now, const Verdict& verdict) {
  std::array<std::string_view, kLimits.size()> names;
  std::ranges::transform(kLimits, names.begin(), LimitName);
  out.StateSet("sluice_verdict", names, LimitName(verdict.limit));
  if (verdict.limit != Limit::kUnknown)
    out.Gauge("sluice_verdict_confidence_ratio", kCommon, verdict.confidence.value);
  if (!now.graph) return;
  for (std::size_t op = 0; op < now.graph->ops.size(); ++op) {
    out.Gauge("sluice_verdict_op", out.With({{"op", now.graph->ops[op].name}}), verdict.op == op ? 1 : 0);
  }
}

void AddBudget(MetricBuilder& out, const Snapshot& now) {
  const std::optional<Bytes> limit =
      now.budget.memory.count > 0 ? std::optional(now.budget.memory) : std::nullopt;
  out.Gauge("sluice_buffered_bytes", kCommon, AsBytes(now.buffered));
  out.Gauge("sluice_buffered_peak_bytes", kCommon, AsBytes(now.buffered_peak));
  out.Gauge("sluice_buffered_limit_bytes", kCommon, AsBytes(limit));
  out.Gauge("sluice_budget_cores", kCommon, now.budget.cores);
}

void AddProcess(MetricBuilder& out, const Snapshot& now) {
  out.Counter("sluice_process_cpu_seconds_total", kCommon, InSeconds(now.process_cpu));
  out.Gauge("sluice_process_resident_memory_bytes", kCommon, AsBytes(now.rss));
  out.Counter("sluice_process_throttled_seconds_total", kCommon, AsSeconds(now.throttled));
}

void AddGraph(MetricBuilder& out, const Snapshot& now, const std::vector<Exemplars>* exemplars) {
  if (!now.graph) return;
  const std::size_t ops = std::min(now.ops.size(), now.graph->ops.size());
  for (std::size_t i = 0; i < ops; ++i) {
    const bool traced = exemplars != nullptr && i < exemplars->size();
    AddOp(out, now.graph->ops[i].name, now.ops[i], traced ? (*exemplars)[i] : Exemplars{});
  }
  const std::size_t connectors = std::min(now.connectors.size(), now.graph->connectors.size());
  for (std::size_t i = 0; i < connectors; ++i) {
    AddConnector(out, now.graph->connectors[i].name, now.connectors[i]);
  }
}

void AddPipeline(MetricBuilder& out, const PipelineMetrics& pipeline) {
  const Snapshot& now = *pipeline.now;
  AddProgress(out, now);
  AddGraph(out, now, pipeline.exemplars);
  if (pipeline.workers && now.graph) AddWorkers(out, *now.graph, *pipeline.workers);
  AddConsumer(out, now.consumer);
  for (const Knob& knob : now.knobs) AddKnob(out, knob);
  AddDecisions(out, now, *pipeline.decisions);
  if (pipeline.verdict != nullptr) AddVerdict(out, now, *pipeline.verdict);
  AddBudget(out, now);
}

constexpr std::array<std::string_view, 3> kTunings = {"tune", "advise", "off"};

void AddAgent(MetricBuilder& out, const AgentFigures& agent) {
  if (agent.tuning)
    out.StateSet("sluice_tuner_mode", kTunings, kTunings.at(static_cast<std::size_t>(*agent.tuning)));
  out.Counter("sluice_agent_cpu_seconds_total", kCommon, AsSeconds(agent.cpu));
  out.Gauge("sluice_shared_memory_size_bytes", kCommon, AsBytes(agent.shared_memory_size));
  out.Gauge("sluice_shared_memory_free_bytes", kCommon, AsBytes(agent.shared_memory_free));
}

// `name` without a value is left out.
void SetCommonLabels(MetricBuilder& out, std::string_view name, std::string_view value,
                     const PipelineMetrics& of) {
  const std::string rank = of.rank ? std::to_string(*of.rank) : "";
  std::vector<MetricBuilder::Label> labels;
  if (!value.empty()) labels.emplace_back(name, value);
  if (of.rank) labels.emplace_back("rank", rank);
  if (!of.rank && of.pid == 0) return out.SetCommonLabels(labels);
  out.SetCommonLabels(labels, MetricProcess{of.rank, of.rank ? 0 : of.pid});
}

void AddProcesses(MetricBuilder& out, std::span<const PipelineMetrics> pipelines) {
  std::set<int> told;
  for (const PipelineMetrics& pipeline : pipelines) {
    if (!told.insert(pipeline.pid).second) continue;
    SetCommonLabels(out, "pid", pipeline.pid == 0 ? "" : std::to_string(pipeline.pid), pipeline);
    AddProcess(out, *pipeline.now);
  }
}

}  // namespace

void Put(Exemplars& exemplars, const Exemplar& newest) {
  const auto bucket = std::ranges::lower_bound(kItemBounds, newest.seconds) - kItemBounds.begin();
  exemplars.at(static_cast<std::size_t>(bucket)) = newest;
}

Exposition Expose(const RunIdentity& run, const AgentFigures& agent,
                  std::span<const PipelineMetrics> pipelines) {
  MetricBuilder out;
  AddRun(out, run);
  AddAgent(out, agent);
  for (const PipelineMetrics& pipeline : pipelines) {
    SetCommonLabels(out, "loader", pipeline.loader, pipeline);
    AddPipeline(out, pipeline);
  }
  AddProcesses(out, pipelines);
  return out.Take();
}

}  // namespace sluice::exporters

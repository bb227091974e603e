// MetricCatalogue: what there is to say of every metric, in one table. HELP texts, docs/metrics.md,
// exporters/prometheus/metrics.json and the tests come from it, and code can name no metric that it lacks.
// Immutable.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::exporters {

// As OpenMetrics has them; in the older text an info or a state set is a gauge.
enum class MetricType : std::uint8_t { kCounter, kGauge, kHistogram, kInfo, kStateSet };
enum class MetricSection : std::uint8_t {
  kRun,
  kOps,
  kWorkers,
  kConnectors,
  kConsumer,
  kTuning,
  kVerdict,
  kProcess
};

struct Metric {
  std::string_view name;  // as a query says it; of a histogram without _bucket
  MetricType type;
  std::string_view unit;    // a suffix of the name, before _total; empty: none
  std::string_view labels;  // "knob,outcome", beside those of a wrapped run; empty: none
  MetricSection section;
  std::string_view help;
};

namespace internal {

constexpr Metric Described(MetricType type, MetricSection section, std::string_view name,
                           std::string_view unit, std::string_view labels, std::string_view help) {
  return {name, type, unit, labels, section, help};
}

}  // namespace internal

inline constexpr auto kMetrics = [] {
  using enum MetricType;
  using enum MetricSection;
  using internal::Described;
  return std::to_array<Metric>({
      Described(kInfo, kRun, "sluice_run_info", "", "scenario,run_id,version",
                "Identity of the run; always 1."),
      Described(kInfo, kRun, "sluice_build_info", "", "version", "Sluice that serves this; always 1."),
      Described(kGauge, kRun, "sluice_run_finished", "", "",
                "1 once the pipeline has ended and all counters are final."),
      Described(kGauge, kRun, "sluice_run_epoch", "", "", "Epoch that the consumer is in, counted from 0."),
      Described(kGauge, kRun, "sluice_snapshot_timestamp_seconds", "seconds", "",
                "When what is shown was measured (Unix time)."),

      Described(kCounter, kOps, "sluice_op_items_total", "items", "op", "Items that the op has finished."),
      Described(kCounter, kOps, "sluice_op_bytes_total", "bytes", "op",
                "Bytes of the items that the op has finished."),
      Described(kCounter, kOps, "sluice_op_failed_rows_total", "rows", "op",
                "Rows that raised an error, were skipped or replaced, in each epoch anew."),
      Described(kCounter, kOps, "sluice_op_busy_seconds_total", "seconds", "op",
                "Workers' time inside the op."),
      Described(kCounter, kOps, "sluice_op_starved_seconds_total", "seconds", "op",
                "Workers' time without input: the ops before are too slow."),
      Described(kCounter, kOps, "sluice_op_backed_up_seconds_total", "seconds", "op",
                "Workers' time without room: the ops behind are too slow."),
      Described(kCounter, kOps, "sluice_op_on_cpu_seconds_total", "seconds", "op",
                "Share of the busy time on a core."),
      Described(kCounter, kOps, "sluice_op_runnable_seconds_total", "seconds", "op",
                "Share of the busy time spent waiting for a core."),
      Described(kGauge, kOps, "sluice_op_workers", "", "op", "Workers of the op that are alive."),
      Described(kGauge, kOps, "sluice_op_worker_memory_bytes", "bytes", "op",
                "Memory of one worker by itself, where workers are processes."),
      Described(kHistogram, kOps, "sluice_op_item_duration_seconds", "seconds", "op",
                "Busy time per item, interpolated from power-of-two buckets."),

      Described(kCounter, kWorkers, "sluice_worker_items_total", "items", "op,worker",
                "Items that the worker has finished."),
      Described(kCounter, kWorkers, "sluice_worker_busy_seconds_total", "seconds", "op,worker",
                "The worker's time inside the op."),
      Described(kCounter, kWorkers, "sluice_worker_starved_seconds_total", "seconds", "op,worker",
                "The worker's time without input: the ops before are too slow."),
      Described(kCounter, kWorkers, "sluice_worker_backed_up_seconds_total", "seconds", "op,worker",
                "The worker's time without room: the ops behind are too slow."),
      Described(kGauge, kWorkers, "sluice_workers_without_series", "", "",
                "Workers beyond those that --metrics-workers allows series of their own."),

      Described(kGauge, kConnectors, "sluice_connector_depth_items", "items", "connector",
                "Finished items that wait in the connector."),
      Described(kGauge, kConnectors, "sluice_connector_capacity_items", "items", "connector",
                "Items that the connector may hold."),
      Described(kGauge, kConnectors, "sluice_connector_high_water_items", "items", "connector",
                "Greatest depth of the connector so far."),
      Described(kGauge, kConnectors, "sluice_connector_buffered_bytes", "bytes", "connector",
                "Bytes held by the items that wait in the connector."),
      Described(kCounter, kConnectors, "sluice_connector_pushed_items_total", "items", "connector",
                "Items put into the connector."),
      Described(kCounter, kConnectors, "sluice_connector_popped_items_total", "items", "connector",
                "Items taken from the connector."),
      Described(kCounter, kConnectors, "sluice_connector_empty_seconds_total", "seconds", "connector",
                "Time at depth 0: the ops before are too slow."),
      Described(kCounter, kConnectors, "sluice_connector_full_seconds_total", "seconds", "connector",
                "Time without room: the ops behind are too slow."),
      Described(kCounter, kConnectors, "sluice_connector_depth_item_seconds_total", "item_seconds",
                "connector", "Integral of the depth over time; its rate is the mean depth."),

      Described(kCounter, kConsumer, "sluice_consumer_items_total", "items", "",
                "Items (batches) that the consumer has taken."),
      Described(kCounter, kConsumer, "sluice_consumer_rows_total", "rows", "",
                "Rows of the items that the consumer has taken."),
      Described(kCounter, kConsumer, "sluice_consumer_busy_seconds_total", "seconds", "",
                "The consumer's own time."),
      Described(kCounter, kConsumer, "sluice_consumer_starved_seconds_total", "seconds", "",
                "Time that the consumer waited for the pipeline."),
      Described(
          kCounter, kConsumer, "sluice_consumer_starting_seconds_total", "seconds", "",
          "Share of the starved time before the first item of an epoch, with the start of its workers."),
      Described(kHistogram, kConsumer, "sluice_step_duration_seconds", "seconds", "",
                "The consumer's own time per item, interpolated from power-of-two buckets."),
      Described(kHistogram, kConsumer, "sluice_step_input_wait_seconds", "seconds", "",
                "How long the consumer waited for an item, the same way."),

      Described(kStateSet, kTuning, "sluice_tuner_mode", "", "sluice_tuner_mode",
                "1 for what tuning does: tune, advise (say what should be changed, change nothing) or off."),
      Described(kGauge, kTuning, "sluice_knob_value", "", "knob",
                "Value in force: workers, items of capacity, or a placement's number."),
      Described(kGauge, kTuning, "sluice_knob_requested", "", "knob",
                "Value asked for last; differs until it is applied."),
      Described(kGauge, kTuning, "sluice_knob_min", "", "knob", "Least value allowed."),
      Described(kGauge, kTuning, "sluice_knob_max", "", "knob", "Greatest value allowed."),
      Described(kGauge, kTuning, "sluice_knob_pinned", "", "knob",
                "1 where tuning has to leave the knob alone, 0 where it may change it."),
      Described(kGauge, kTuning, "sluice_knob_held", "", "knob",
                "1 where that is the run's own doing, because a change could alter what is trained, and not "
                "its user's."),
      Described(kGauge, kTuning, "sluice_knob_on_trial", "", "knob",
                "1 while the effect of the knob's last change is being measured."),
      Described(kGauge, kTuning, "sluice_knob_last_change_timestamp_seconds", "seconds", "knob",
                "When the knob was last changed by a decision (Unix time); none before the first."),
      Described(kCounter, kTuning, "sluice_decisions_total", "", "knob,outcome",
                "Changes of a knob by what became of them: kept, rolled_back, advised or rejected; one on "
                "trial is not counted yet."),
      Described(kGauge, kTuning, "sluice_last_decision_timestamp_seconds", "seconds", "",
                "When the last decision was made (Unix time); none before the first."),
      Described(
          kGauge, kTuning, "sluice_trial_predicted_items_per_second", "items_per_second", "",
          "What the decision on trial was expected to give the consumer; none while nothing is on trial."),
      Described(kGauge, kTuning, "sluice_trial_before_items_per_second", "items_per_second", "",
                "What the consumer got before the decision on trial; none while nothing is on trial."),

      Described(kStateSet, kVerdict, "sluice_verdict", "", "sluice_verdict",
                "1 for what limits the run: unknown, consumer, op, serial_op, cores, memory, storage or "
                "contention."),
      Described(kGauge, kVerdict, "sluice_verdict_confidence_ratio", "ratio", "",
                "How sure that is, 0 to 1; none while it is unknown."),
      Described(kGauge, kVerdict, "sluice_verdict_op", "", "op",
                "1 for the op that it is about, 0 for every other."),

      Described(kGauge, kProcess, "sluice_budget_cores", "cores", "",
                "Cores that the run may use; may be fractional."),
      Described(kGauge, kProcess, "sluice_buffered_bytes", "bytes", "",
                "Bytes between source and consumer, in connectors and workers."),
      Described(kGauge, kProcess, "sluice_buffered_peak_bytes", "bytes", "",
                "Greatest value of sluice_buffered_bytes so far."),
      Described(kGauge, kProcess, "sluice_buffered_limit_bytes", "bytes", "",
                "Bytes that may be buffered; none where there is no limit."),
      Described(kCounter, kProcess, "sluice_process_cpu_seconds_total", "seconds", "",
                "User and system time of the measured process, and of those that its workers live in."),
      Described(kGauge, kProcess, "sluice_process_resident_memory_bytes", "bytes", "",
                "Resident memory of the measured process."),
      Described(kCounter, kProcess, "sluice_process_throttled_seconds_total", "seconds", "",
                "Time that the cgroup's CPU quota held the process back."),
      Described(kCounter, kProcess, "sluice_agent_cpu_seconds_total", "seconds", "",
                "CPU time of Sluice's own agent, which measures, decides and publishes."),
      Described(kGauge, kProcess, "sluice_shared_memory_size_bytes", "bytes", "",
                "Size of /dev/shm, in which workers that are processes hand over their batches."),
      Described(kGauge, kProcess, "sluice_shared_memory_free_bytes", "bytes", "",
                "What is free of it; a worker that finds no room there is killed by SIGBUS."),
  });
}();

// So a HELP line holds it as it is, in each format.
static_assert(std::ranges::none_of(kMetrics, [](const Metric& metric) {
  return metric.help.find_first_of("\\\"\n") != std::string_view::npos;
}));

// A metric of the catalogue by its name. That it is there, and of this type, is checked by the compiler.
template <MetricType kType>
class MetricRef {
 public:
  consteval MetricRef(const char* name) : metric_(Find(name)) {}  // NOLINT: a name is one
  [[nodiscard]] const Metric& metric() const { return *metric_; }
  [[nodiscard]] std::size_t place() const { return static_cast<std::size_t>(metric_ - kMetrics.data()); }

 private:
  static consteval const Metric* Find(std::string_view name) {
    for (const Metric& metric : kMetrics) {
      if (metric.name == name && metric.type == kType) return &metric;
    }
    throw "the catalogue has no metric of this name and type";
  }
  const Metric* metric_;
};

// "counter", "gauge", "histogram", "info", "stateset": the words of OpenMetrics.
[[nodiscard]] std::string_view TypeName(MetricType type);
// The heading in docs/metrics.md: "Run", "Ops", ...
[[nodiscard]] std::string_view SectionName(MetricSection section);
[[nodiscard]] std::vector<std::string_view> LabelsOf(const Metric& metric);

// The whole catalogue for other programs: what exporters/prometheus/metrics.json holds.
[[nodiscard]] std::string MetricsJson();
// The rows of one section in docs/metrics.md.
[[nodiscard]] std::string MetricsTable(MetricSection section);

}  // namespace sluice::exporters

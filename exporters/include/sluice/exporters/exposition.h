// Exposition: what there is to scrape, made of one snapshot of each pipeline of a run. Immutable functions.
// Every metric is in metric_catalogue.h and docs/metrics.md. What could not be measured has no sample.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/snapshot.h"
#include "sluice/base/worker_reading.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/metric_catalogue.h"

namespace sluice::exporters {

// Labels of sluice_run_info. Identity, not data: no paths, no arguments.
struct RunIdentity {
  std::string scenario;
  std::string run_id;
  std::string version;
};

// Of the agent that measures and tunes; what is not known has no sample.
enum class Tuning : std::uint8_t { kTune, kAdvise, kOff };
struct AgentFigures {
  std::optional<Tuning> tuning;
  std::optional<Nanos> cpu;  // that it has taken itself
  // Of the file system that batches and segments are shared in.
  std::optional<Bytes> shared_memory_size{}, shared_memory_free{};
};

// Of histograms, in seconds. Decimal, because a power of two prints with sixteen digits.
using HistogramBounds = std::array<double, 15>;
inline constexpr HistogramBounds kItemBounds = {1e-6, 1e-5,   1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3,
                                                1e-2, 2.5e-2, 5e-2, 0.1,    0.25, 0.5,  1.0};
inline constexpr HistogramBounds kStepBounds = {1e-4, 1e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1,  0.25,
                                                0.5,  1.0,  2.5,  5.0,  10.0,   30.0, 100.0};

// An item that took so long, by its number in a trace (docs/traces.md).
struct Exemplar {
  std::uint64_t item = 0;
  double seconds = 0;
  Nanos wall{0};  // when it was done
};
// Of each bucket of an op's histogram the newest; the last bucket has no bound.
using Exemplars = std::array<std::optional<Exemplar>, kItemBounds.size() + 1>;
void Put(Exemplars& exemplars, const Exemplar& newest);

// Workers that have series of their own: the first `most` of `all`, so that their number is bounded, and
// those that have them once keep them.
struct WorkerSeries {
  std::vector<WorkerReading> all;  // in an order that lasts
  std::size_t most = 0;
};

// One pipeline of a run. Of several, each has a name: its samples have the labels `loader` and, where it is
// known, `rank`. What is measured of a process has `pid` instead of `loader`, and is taken from the first
// pipeline in it.
struct PipelineMetrics {
  std::string loader{};  // unique among those of its rank; empty: no label
  std::optional<int> rank{};
  int pid = 0;  // 0: no label
  const Snapshot* now = nullptr;
  const DecisionLog* decisions = nullptr;
  const Verdict* verdict = nullptr;                   // null: nobody judges it
  const std::vector<Exemplars>* exemplars = nullptr;  // of each op; null: nobody traces it
  std::optional<WorkerSeries> workers{};              // nullopt: nobody has asked for them
};

// `labels` is the place of its labels in Exposition::labels.
struct MetricSample {
  std::uint32_t labels = 0;
  double value = 0;
};
struct HistogramSample {
  std::uint32_t labels = 0;
  const HistogramBounds* bounds = &kItemBounds;
  std::array<std::uint64_t, std::tuple_size_v<HistogramBounds>> up_to{};  // items that took at most the bound
  std::uint64_t count = 0;
  double sum = 0;  // in seconds
  Exemplars exemplars{};
};
struct MetricFamily {
  std::vector<MetricSample> samples;
  std::vector<HistogramSample> histograms;  // of a histogram, in place of these
};

// Labels that samples share. `process` is a place in Exposition::processes; nullopt: of the whole run.
struct LabelSet {
  std::string text;  // without braces: rank="0",op="decode"
  std::optional<std::uint32_t> process{};
};
// Of a wrapped run: what has the same rank, or, without one, the same pid.
struct MetricProcess {
  std::optional<int> rank;
  int pid = 0;  // 0 where there is a rank
  bool operator==(const MetricProcess&) const = default;
};

// A copy of everything that is told, so that its text can be made later and elsewhere (metrics_text.h): for
// those who scrape, and for nobody else.
struct Exposition {
  std::vector<LabelSet> labels;
  std::vector<MetricProcess> processes;                // in the order in which they were first named
  std::array<MetricFamily, kMetrics.size()> families;  // in the order of the catalogue
};

[[nodiscard]] Exposition Expose(const RunIdentity& run, const AgentFigures& agent,
                                std::span<const PipelineMetrics> pipelines);

}  // namespace sluice::exporters

// Exposition: what a scrape gets, made of one snapshot of each pipeline of a run. Immutable functions. Every
// metric is in metric_catalogue.h and docs/metrics.md. What could not be measured has no sample.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sluice/base/snapshot.h"
#include "sluice/exporters/decision_log.h"

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

// One pipeline of a run. Of several, each has a name: its samples have the labels `loader` and, where it is
// known, `rank`. What is measured of a process has `pid` instead of `loader`, and is taken from the first
// pipeline in it.
struct PipelineMetrics {
  std::string loader{};  // unique among those of its rank; empty: no label
  std::optional<int> rank{};
  int pid = 0;  // 0: no label
  const Snapshot* now = nullptr;
  const DecisionLog* decisions = nullptr;
  const Verdict* verdict = nullptr;  // null: nobody judges it
};

struct Exposition {
  std::string text;         // Prometheus' text format, 0.0.4
  std::string openmetrics;  // OpenMetrics 1.0, of the same samples
};

[[nodiscard]] Exposition Expose(const RunIdentity& run, const AgentFigures& agent,
                                std::span<const PipelineMetrics> pipelines);

}  // namespace sluice::exporters

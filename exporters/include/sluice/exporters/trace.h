// A trace: what every worker of a run did and when, as a trace viewer shows it; docs/traces.md says what is
// in it. Values in, bytes to be appended to a file out. Such a file may be cut anywhere.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/graph.h"
#include "sluice/base/snapshot.h"
#include "sluice/base/units.h"

namespace sluice::exporters {

enum class TraceFormat : std::uint8_t {
  kPerfetto,    // protobuf, a message TracePacket after the other (ui.perfetto.dev)
  kChromeJson,  // an array of trace events (chrome://tracing, ui.perfetto.dev, Speedscope)
};

// One pipeline. `number`: from 1, for good.
struct TracePipeline {
  std::uint32_t number = 0;
  std::string name;  // the scenario, or "train.py: train_loader (Photos)"
  std::optional<int> rank;
  int pid = 0;
  std::shared_ptr<const Graph> graph;
};

// A worker, or the consumer, which is track 0; those of a pipeline are shown in the order of `order`.
struct TraceTrack {
  std::uint32_t pipeline = 0;
  std::uint32_t number = 0;
  std::string name;  // "decode/0"
  int order = 0;
  int tid = 0;  // 0: not known
};

enum class TraceState : std::uint8_t { kBusy, kStarved, kBackedUp };

// Items of one connector, numbered from 0.
struct TraceItems {
  std::size_t connector = 0;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t run = 0;  // of them have numbers without a gap, from the first one on
};

// Those of one track come in their order and do not overlap.
struct TraceSpan {
  std::uint32_t pipeline = 0;
  std::uint32_t track = 0;
  std::optional<OpId> op;  // nullopt: the consumer
  TraceState state = TraceState::kBusy;
  MonoTime begin{0};
  Nanos length{0};
  std::optional<TraceItems> took, made;  // nullopt: not known, or none
  bool unfinished = false;               // it goes on
};

class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  // What the file begins with. `wall` and `now` are the same moment.
  [[nodiscard]] virtual std::string Begin(MonoTime now, Nanos wall) = 0;
  // Both clocks again, now and then: the wall clock may be set.
  [[nodiscard]] virtual std::string Clocks(MonoTime now, Nanos wall) = 0;
  [[nodiscard]] virtual std::string Add(const TracePipeline& pipeline) = 0;
  // Before its spans. REQUIRES: its pipeline was added.
  [[nodiscard]] virtual std::string Add(const TraceTrack& track) = 0;
  // There may be hundreds of thousands in a second: appended.
  virtual void Add(const TraceSpan& span, std::string& to) = 0;
  // Depths, capacities, knobs and buffered bytes as of the snapshot.
  [[nodiscard]] virtual std::string Counters(std::uint32_t pipeline, const Snapshot& now) = 0;
  // Something that happened to the pipeline, such as a decision; `detail` may be empty.
  [[nodiscard]] virtual std::string Mark(std::uint32_t pipeline, MonoTime at, const std::string& what,
                                         const std::string& detail) = 0;
  [[nodiscard]] virtual std::string End(MonoTime now) = 0;
};

[[nodiscard]] std::unique_ptr<TraceWriter> MakeTraceWriter(TraceFormat format);

}  // namespace sluice::exporters

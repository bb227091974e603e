// SegmentWriter: creates this process's telemetry segment and hands out the places to write to.
//
// Created once per pipeline, before its threads start; outlives every worker. AddWorker, LogDecision and
// LogEvent are thread-safe; each slot then has one writer at a time. When the folder or the space is
// missing, the segment falls back to private memory and Warning() says so: measuring goes on inside the
// process, only other processes cannot attach (fail open).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/error.h"
#include "sluice/base/graph.h"
#include "sluice/base/knob.h"
#include "sluice/probes/segment_layout.h"
#include "sluice/probes/span_recorder.h"

namespace sluice::probes {

struct SegmentOptions {
  std::string folder;   // empty: DefaultSegmentFolder()
  std::string program;  // shown by `sluice ls`
  std::string run_id;   // empty: a fresh random UUID
  bool shared = true;   // false: private memory only
};

// $XDG_RUNTIME_DIR/sluice when that folder is usable, else /dev/shm/sluice-$UID.
[[nodiscard]] std::string DefaultSegmentFolder();
// Makes the folder where it is missing; says why segments cannot be made in it.
[[nodiscard]] Result<void> CheckSegmentFolder(const std::string& folder);
// A random UUID, version 4.
[[nodiscard]] std::string NewRunId();

class SegmentWriter {
 public:
  // Writes header, graph and knob cells. REQUIRES: at most segment::kMaxOps ops and kMaxConnectors
  // connectors. `knobs` give name, id, min, max, value, holder.
  SegmentWriter(const SegmentOptions& options, const Graph& graph, const std::vector<Knob>& knobs,
                const Budget& budget);
  ~SegmentWriter();  // marks the run finished and removes the file
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  [[nodiscard]] segment::Header& header();
  [[nodiscard]] segment::OpEntry& op(OpId id);
  [[nodiscard]] segment::ConnectorEntry& connector(ConnectorId id);
  [[nodiscard]] segment::ConsumerEntry& consumer();
  [[nodiscard]] segment::StepEntry& steps();           // the consumer's
  [[nodiscard]] std::span<segment::KnobCell> knobs();  // in the order given
  // A fresh slot for a worker of `op`. Slots of retired workers keep their counters. Once all
  // kMaxWorkers are used, returns a slot in private memory that no reader sees, and warns.
  [[nodiscard]] segment::WorkerSlot& AddWorker(OpId op);
  // For what the workers and the consumer of this process do, while somebody traces.
  [[nodiscard]] SpanRecorder& spans();
  // For SpanRecorder; kTracks where no reader sees the slot.
  [[nodiscard]] std::uint32_t TrackOf(const segment::WorkerSlot& slot) const;

  void LogDecision(std::int64_t at_mono, std::string_view json);
  void LogEvent(std::int64_t at_mono, std::string_view sentence);

  [[nodiscard]] const std::string& path() const;     // empty: private memory
  [[nodiscard]] const std::string& warning() const;  // empty: all is well
  // The whole segment, for a reader or a knob requester in this process.
  [[nodiscard]] std::span<const std::byte> bytes() const;
  [[nodiscard]] std::span<std::byte> bytes();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::probes

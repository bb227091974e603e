// TraceFeed: what a run does, as pieces of a trace file: the spans of its workers, depths and knobs as of
// each look, decisions and events as they come.
//
// One thread. Reads the run's segment and asks for spans through it, from whatever process.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/trace.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/span_tap.h"

namespace sluice::app {

struct TracePiece {
  std::string names;  // of what is new: a reader needs them before the rest, also of any later piece
  std::string events;
  std::uint64_t spans = 0;
  std::uint64_t lost = 0;  // spans that were overwritten before they could be read
  Snapshot seen;
};

class TraceFeed {
 public:
  // `number` of the pipeline in the trace, from 1. `writer` outlives the feed. Errors say why there can be no
  // trace of it.
  [[nodiscard]] static Result<TraceFeed> Open(const std::string& segment, std::uint32_t number,
                                              exporters::TraceWriter& writer);

  // The run writes spans until then.
  void Ask(MonoTime until) { tap_.Ask(until); }
  // What has come since the last look.
  [[nodiscard]] TracePiece Look(MonoTime now, Nanos wall);
  // What the workers are in the middle of.
  [[nodiscard]] std::string Unfinished(MonoTime now);

  [[nodiscard]] const probes::SegmentReader& reader() const { return reader_; }
  [[nodiscard]] std::size_t tracks() const { return names_; }
  // The newest items of each op, by what they took.
  [[nodiscard]] const std::vector<exporters::Exemplars>& exemplars() const { return exemplars_; }

 private:
  // What is known of a track of the segment.
  struct Track {
    bool named = false;
    std::optional<OpId> op;                     // nullopt: the consumer
    std::optional<std::size_t> before, behind;  // the connector, where there is exactly one
    MonoTime end{0};                            // of its last span
  };

  TraceFeed(probes::SegmentReader reader, probes::SpanTap tap, std::uint32_t number,
            exporters::TraceWriter& writer);
  std::string NameTracks(const std::vector<probes::SpanTrack>& tracks);
  [[nodiscard]] exporters::TraceSpan Shown(const probes::WorkerSpan& span) const;
  std::string Spans(const std::vector<probes::WorkerSpan>& spans);
  void NoteExemplar(const exporters::TraceSpan& span);
  std::string Marks(const Snapshot& now);

  probes::SegmentReader reader_;
  probes::SpanTap tap_;
  std::uint32_t number_;
  exporters::TraceWriter* writer_;
  std::shared_ptr<const Graph> graph_;
  std::vector<exporters::Exemplars> exemplars_;  // of each op
  Nanos wall_less_mono_{0};
  std::vector<Track> tracks_;                 // by the segment's number
  std::size_t names_ = 0;                     // tracks that have one
  std::map<OpId, int> seats_;                 // tracks of each op
  std::uint64_t decisions_ = 0, events_ = 0;  // read so far
  MonoTime opened_;
  bool named_ = false, counted_ = false;
};

}  // namespace sluice::app

#include "loop/trace_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/probes/span_layout.h"

namespace sluice::app {
namespace {

constexpr std::size_t kSpanBytes = 160;  // about, in a file
constexpr int kOrderOfOp = 10'000;       // more than an op has workers

exporters::TraceState StateOf(probes::SpanState state) {
  switch (state) {
    case probes::SpanState::kStarved:
      return exporters::TraceState::kStarved;
    case probes::SpanState::kBackedUp:
      return exporters::TraceState::kBackedUp;
    case probes::SpanState::kBusy:
      break;
  }
  return exporters::TraceState::kBusy;
}

// The consumer is the trace's track 0.
std::uint32_t NumberOf(std::uint32_t track) {
  return track == probes::segment::kConsumerTrack ? 0 : track + 1;
}

// The only connector before an op (or the consumer) or behind it; nullopt: there are more or none.
template <typename Is>
std::optional<std::size_t> Only(const Graph& graph, Is is) {
  const auto found = std::ranges::find_if(graph.connectors, is);
  if (found == graph.connectors.end()) return std::nullopt;
  if (std::find_if(std::next(found), graph.connectors.end(), is) != graph.connectors.end())
    return std::nullopt;
  return static_cast<std::size_t>(found - graph.connectors.begin());
}

std::optional<exporters::TraceItems> ItemsOf(std::optional<std::size_t> connector,
                                             const probes::ItemsOfSpan& items) {
  if (!connector || items.count == 0) return std::nullopt;
  return exporters::TraceItems{*connector, items.first, items.count, items.run};
}

// The number of the next line behind these.
std::uint64_t Behind(const std::vector<probes::LogLine>& lines, std::uint64_t so_far = 0) {
  return lines.empty() ? so_far : lines.back().number + 1;
}

}  // namespace

TraceFeed::TraceFeed(probes::SegmentReader reader, probes::SpanTap tap, std::uint32_t number,
                     exporters::TraceWriter& writer)
    : reader_(std::move(reader)),
      tap_(std::move(tap)),
      number_(number),
      writer_(&writer),
      graph_(reader_.Read(MonoNow(), WallNow()).graph),
      exemplars_(graph_->ops.size()),
      tracks_(probes::segment::kTracks),
      decisions_(Behind(reader_.Decisions())),
      events_(Behind(reader_.Events())),
      opened_(MonoNow()) {}

Result<TraceFeed> TraceFeed::Open(const std::string& segment, std::uint32_t number,
                                  exporters::TraceWriter& writer) {
  auto reader = probes::SegmentReader::Open(segment);
  if (!reader) return std::unexpected(reader.error());
  auto tap = probes::SpanTap::Open(segment);
  if (!tap) return std::unexpected(tap.error());
  return TraceFeed(std::move(*reader), std::move(*tap), number, writer);
}

TracePiece TraceFeed::Look(MonoTime now, Nanos wall) {
  wall_less_mono_ = wall - now;
  const probes::TakenSpans taken = tap_.Take();
  TracePiece piece{.names = NameTracks(tap_.Tracks(now)),
                   .events = Spans(taken.spans),
                   .spans = taken.spans.size(),
                   .lost = taken.lost,
                   .seen = reader_.Read(now, wall)};
  // The first counters come with their names.
  (std::exchange(counted_, true) ? piece.events : piece.names) += writer_->Counters(number_, piece.seen);
  piece.events += Marks(piece.seen);
  return piece;
}

std::string TraceFeed::NameTracks(const std::vector<probes::SpanTrack>& tracks) {
  std::string names;
  if (!std::exchange(named_, true)) {
    const probes::SegmentIdentity& who = reader_.identity();
    names += writer_->Add(exporters::TracePipeline{.number = number_,
                                                   .name = who.program,
                                                   .rank = who.rank,
                                                   .pid = static_cast<int>(who.pid),
                                                   .graph = graph_});
  }
  for (const probes::SpanTrack& track : tracks) {
    Track& known = tracks_[track.track];
    if (std::exchange(known.named, true)) continue;
    ++names_;
    known.op = track.op;
    known.before = Only(*graph_, [&](const ConnectorInfo& c) { return c.to == track.op; });
    if (track.op) known.behind = Only(*graph_, [&](const ConnectorInfo& c) { return c.from == *track.op; });
    exporters::TraceTrack added{.pipeline = number_,
                                .number = NumberOf(track.track),
                                .name = "consumer",
                                .order = static_cast<int>(graph_->ops.size()) * kOrderOfOp,
                                .tid = track.tid};
    if (track.op) {
      const int seat = seats_[*track.op]++;
      added.name = fmt::format("{}/{}", graph_->ops[Index(*track.op)].name, seat);
      added.order = static_cast<int>(Index(*track.op)) * kOrderOfOp + seat;
    }
    names += writer_->Add(added);
  }
  return names;
}

exporters::TraceSpan TraceFeed::Shown(const probes::WorkerSpan& span) const {
  const Track& track = tracks_[span.track];
  return {.pipeline = number_,
          .track = NumberOf(span.track),
          .op = track.op,
          .state = StateOf(span.state),
          .begin = span.begin,
          .length = span.length,
          .took = ItemsOf(track.before, span.took),
          .made = ItemsOf(track.behind, span.made)};
}

// Clocks of helping threads may be read a moment apart: spans of a track do not overlap. What was gathered
// for a tracer before this one is not ours.
std::string TraceFeed::Spans(const std::vector<probes::WorkerSpan>& spans) {
  std::string events;
  events.reserve(spans.size() * kSpanBytes);
  for (probes::WorkerSpan span : spans) {
    Track& track = tracks_[span.track];
    const MonoTime end = span.begin + span.length;
    span.begin = std::max(span.begin, track.end);
    if (end < span.begin || end < opened_ || !track.named) continue;
    track.end = end;
    span.length = end - span.begin;
    const exporters::TraceSpan shown = Shown(span);
    NoteExemplar(shown);
    writer_->Add(shown, events);
  }
  return events;
}

// Items of one slice share its time.
void TraceFeed::NoteExemplar(const exporters::TraceSpan& span) {
  if (!span.op || !span.made || span.state != exporters::TraceState::kBusy) return;
  exporters::Put(exemplars_[Index(*span.op)],
                 {.item = span.made->first,
                  .seconds = static_cast<double>(span.length.count()) / 1e9 / span.made->count,
                  .wall = span.begin + span.length + wall_less_mono_});
}

std::string TraceFeed::Marks(const Snapshot& now) {
  std::string events;
  const std::vector<probes::LogLine> decided = reader_.Decisions(decisions_);
  decisions_ = Behind(decided, decisions_);
  for (const probes::LogLine& line : decided) {
    const auto entry = exporters::ParseDecisionJson(line.text);
    if (!entry) {
      if (const auto verdict = exporters::SentenceOfVerdict(line.text))
        events += writer_->Mark(number_, line.at, *verdict, "");
      continue;
    }
    const std::string changes =
        exporters::ChangesText(exporters::NamedChanges(entry->decision.changes, now.knobs));
    events +=
        writer_->Mark(number_, line.at, fmt::format("{} ({})", changes, exporters::FateName(entry->fate)),
                      entry->decision.because);
  }
  const std::vector<probes::LogLine> said = reader_.Events(events_);
  events_ = Behind(said, events_);
  for (const probes::LogLine& line : said) events += writer_->Mark(number_, line.at, line.text, "");
  return events;
}

std::string TraceFeed::Unfinished(MonoTime now) {
  std::string events;
  for (const probes::SpanTrack& track : tap_.Tracks(now)) {
    const MonoTime end = tracks_[track.track].end;
    if (!track.open || !tracks_[track.track].named || end > track.open->begin) continue;  // it has just ended
    exporters::TraceSpan span = Shown(*track.open);
    span.unfinished = true;
    // A worker that waits looks again and again.
    if (end.count() > 0 && span.state != exporters::TraceState::kBusy) {
      span.length += span.begin - end;
      span.begin = end;
    }
    writer_->Add(span, events);
  }
  return events;
}

}  // namespace sluice::app

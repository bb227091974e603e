#include "trace/perfetto_trace.h"

#include "text/utf8.h"

namespace sluice::exporters {
namespace {

// Numbers of fields and values of enums, by the file that has them in protos/perfetto/trace.
namespace trace_packet {              // trace.proto, trace_packet.proto
constexpr std::uint32_t kPacket = 1;  // of Trace
constexpr std::uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kClockId = 58,
                        kTrackDescriptor = 60;
}  // namespace trace_packet
namespace clock {  // clock_snapshot.proto, common/builtin_clock.proto
constexpr std::uint32_t kClocks = 1, kPrimary = 2, kId = 1, kTimestamp = 2;
constexpr std::uint64_t kRealtime = 1, kMonotonic = 3;
}  // namespace clock
namespace track {  // track_event/track_descriptor.proto
constexpr std::uint32_t kUuid = 1, kName = 2, kParent = 5, kCounter = 8, kChildOrdering = 11, kRank = 12,
                        kSiblingMerge = 15;
constexpr std::uint64_t kExplicitOrder = 3, kNoMerge = 2;
}  // namespace track
namespace counter {  // track_event/counter_descriptor.proto
constexpr std::uint32_t kUnit = 3, kUnitName = 6, kSharedAxis = 7;
constexpr std::uint64_t kCount = 2, kBytes = 3;
}  // namespace counter
namespace event {  // track_event/track_event.proto, debug_annotation.proto
constexpr std::uint32_t kAnnotation = 4, kType = 9, kTrack = 11, kCategory = 22, kName = 23, kValue = 30,
                        kFlow = 47, kEndOfFlow = 48;
constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;
constexpr std::uint32_t kWhole = 3, kText = 6, kAnnotationName = 10;
}  // namespace event

constexpr std::uint64_t kOurSequence = 1;

// The tracks of a pipeline: its own, which is the parent of the others; those of workers; those of counters.
std::uint64_t PipelineTrack(std::uint32_t pipeline) {
  return std::uint64_t{pipeline} << 32;
}
std::uint64_t WorkerTrack(std::uint32_t pipeline, std::uint32_t number) {
  return PipelineTrack(pipeline) | std::uint64_t{1} << 24 | number;
}
std::uint64_t CounterTrack(std::uint32_t pipeline, std::size_t number) {
  return PipelineTrack(pipeline) | std::uint64_t{2} << 24 | number;
}
constexpr std::uint64_t kCountersBehind = 100'000;  // the tracks of workers

std::string Packet(const WireMessage& packet) {
  return std::string(WireMessage().Message(trace_packet::kPacket, packet).bytes());
}

std::string Descriptor(const WireMessage& descriptor) {
  return Packet(WireMessage()
                    .Whole(trace_packet::kSequence, kOurSequence)
                    .Message(trace_packet::kTrackDescriptor, descriptor));
}

std::string Event(MonoTime at, const WireMessage& event) {
  return Packet(WireMessage()
                    .Whole(trace_packet::kTimestamp, static_cast<std::uint64_t>(at.count()))
                    .Whole(trace_packet::kSequence, kOurSequence)
                    .Message(trace_packet::kTrackEvent, event)
                    .Whole(trace_packet::kClockId, clock::kMonotonic));
}

WireMessage EventOf(std::uint64_t type, std::uint64_t track) {
  return WireMessage().Whole(event::kType, type).Whole(event::kTrack, track);
}

void Annotate(WireMessage& message, WireMessage& note, const char* name, std::uint64_t value) {
  note.Clear().Whole(event::kWhole, value).Bytes(event::kAnnotationName, name);
  message.Message(event::kAnnotation, note);
}

void Annotate(WireMessage& message, const char* name, const std::string& text) {
  message.Message(event::kAnnotation,
                  WireMessage().Bytes(event::kText, text).Bytes(event::kAnnotationName, name));
}

WireMessage OneClock(std::uint64_t id, std::int64_t at) {
  return WireMessage().Whole(clock::kId, id).Whole(clock::kTimestamp, static_cast<std::uint64_t>(at));
}

WireMessage CounterKind(const TraceCounter& of) {
  WireMessage kind;
  kind.Whole(counter::kUnit, of.unit == TraceCounter::Unit::kBytes ? counter::kBytes : counter::kCount);
  if (of.unit == TraceCounter::Unit::kItems) kind.Bytes(counter::kUnitName, "items");
  kind.Bytes(counter::kSharedAxis, of.name);
  return kind;
}

}  // namespace

std::string PerfettoTrace::Begin(MonoTime now, Nanos wall) {
  return Clocks(now, wall);
}

std::string PerfettoTrace::Clocks(MonoTime now, Nanos wall) {
  return Packet(WireMessage()
                    .Message(trace_packet::kClockSnapshot,
                             WireMessage()
                                 .Message(clock::kClocks, OneClock(clock::kRealtime, wall.count()))
                                 .Message(clock::kClocks, OneClock(clock::kMonotonic, now.count()))
                                 .Whole(clock::kPrimary, clock::kMonotonic))
                    .Whole(trace_packet::kSequence, kOurSequence));
}

std::string PerfettoTrace::Add(const TracePipeline& pipeline) {
  pipelines_.Add(pipeline, ValidUtf8);
  return Descriptor(WireMessage()
                        .Whole(track::kUuid, PipelineTrack(pipeline.number))
                        .Bytes(track::kName, PipelineTitle(pipeline))
                        .Whole(track::kChildOrdering, track::kExplicitOrder));
}

// Tracks of the same name would be shown as one.
std::string PerfettoTrace::Add(const TraceTrack& added) {
  return Descriptor(WireMessage()
                        .Whole(track::kUuid, WorkerTrack(added.pipeline, added.number))
                        .Bytes(track::kName, ValidUtf8(added.name))
                        .Whole(track::kParent, PipelineTrack(added.pipeline))
                        .Whole(track::kRank, static_cast<std::uint64_t>(added.order))
                        .Whole(track::kSiblingMerge, track::kNoMerge));
}

void PerfettoTrace::AppendEvent(MonoTime at, const WireMessage& event, std::string& to) {
  packet_.Clear()
      .Whole(trace_packet::kTimestamp, static_cast<std::uint64_t>(at.count()))
      .Whole(trace_packet::kSequence, kOurSequence)
      .Message(trace_packet::kTrackEvent, event)
      .Whole(trace_packet::kClockId, clock::kMonotonic);
  to += framed_.Clear().Message(trace_packet::kPacket, packet_).bytes();
}

void PerfettoTrace::Add(const TraceSpan& span, std::string& to) {
  const std::uint64_t on = WorkerTrack(span.pipeline, span.track);
  event_.Clear().Whole(event::kType, event::kBegin).Whole(event::kTrack, on);
  event_.Bytes(event::kCategory, SpanCategory(span));
  event_.Bytes(event::kName, pipelines_.SpanName(span));
  ForEachFlow(span.pipeline, span.made, [&](std::uint64_t id) { event_.Fixed64(event::kFlow, id); });
  ForEachFlow(span.pipeline, span.took, [&](std::uint64_t id) { event_.Fixed64(event::kEndOfFlow, id); });
  const auto& items = span.made ? span.made : span.took;
  if (items) {
    Annotate(event_, note_, "item", items->first);
    Annotate(event_, note_, "items", items->count);
  }
  AppendEvent(span.begin, event_, to);
  // Without its end the viewer draws it to the end of the trace, and says so.
  if (span.unfinished) return;
  event_.Clear().Whole(event::kType, event::kEnd).Whole(event::kTrack, on);
  AppendEvent(span.begin + span.length, event_, to);
}

std::string PerfettoTrace::Counters(std::uint32_t pipeline, const Snapshot& now) {
  std::string bytes;
  const std::vector<TraceCounter> counters = CountersOf(now);
  for (std::size_t& known = counters_[pipeline]; known < counters.size(); ++known) {
    const TraceCounter& added = counters[known];
    bytes += Descriptor(WireMessage()
                            .Whole(track::kUuid, CounterTrack(pipeline, known))
                            .Bytes(track::kName, added.name + " " + added.series)
                            .Whole(track::kParent, PipelineTrack(pipeline))
                            .Message(track::kCounter, CounterKind(added))
                            .Whole(track::kRank, kCountersBehind + known));
  }
  for (std::size_t i = 0; i < counters.size(); ++i) {
    bytes += Event(now.at, EventOf(event::kCounter, CounterTrack(pipeline, i))
                               .Whole(event::kValue, static_cast<std::uint64_t>(counters[i].value)));
  }
  return bytes;
}

std::string PerfettoTrace::Mark(std::uint32_t pipeline, MonoTime at, const std::string& what,
                                const std::string& detail) {
  WireMessage instant = EventOf(event::kInstant, PipelineTrack(pipeline));
  instant.Bytes(event::kCategory, "mark").Bytes(event::kName, ValidUtf8(what));
  if (!detail.empty()) Annotate(instant, "detail", ValidUtf8(detail));
  return Event(at, instant);
}

std::string PerfettoTrace::End(MonoTime) {
  return "";
}

}  // namespace sluice::exporters

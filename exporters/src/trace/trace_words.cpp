#include "trace/trace_words.h"

#include <fmt/format.h>

#include "text/utf8.h"
#include "trace/chrome_trace.h"
#include "trace/perfetto_trace.h"

namespace sluice::exporters {

std::string PipelineTitle(const TracePipeline& pipeline) {
  const std::string rank = pipeline.rank ? fmt::format("rank {}: ", *pipeline.rank) : "";
  return fmt::format("{}{} (pid {})", rank, ValidUtf8(pipeline.name), pipeline.pid);
}

const char* SpanCategory(const TraceSpan& span) {
  if (span.state != TraceState::kBusy) return "wait";
  return span.op ? "op" : "step";
}

std::vector<TraceCounter> CountersOf(const Snapshot& now) {
  using Unit = TraceCounter::Unit;
  std::vector<TraceCounter> counters;
  for (std::size_t i = 0; now.graph != nullptr && i < now.graph->connectors.size(); ++i) {
    if (i >= now.connectors.size()) break;
    const std::string name = ValidUtf8(now.graph->connectors[i].name);
    counters.push_back({name, "depth", Unit::kItems, static_cast<std::int64_t>(now.connectors[i].depth)});
    counters.push_back(
        {name, "capacity", Unit::kItems, static_cast<std::int64_t>(now.connectors[i].capacity)});
  }
  for (const Knob& knob : now.knobs) {
    if (knob.id.kind == KnobKind::kWorkers)
      counters.push_back({ValidUtf8(knob.name), "workers", Unit::kCount, knob.value});
  }
  counters.push_back({"buffered", "bytes", Unit::kBytes, now.buffered.count});
  return counters;
}

std::string_view TracedPipelines::SpanName(const TraceSpan& span) const {
  if (span.state == TraceState::kStarved) return "starved";
  if (span.state == TraceState::kBackedUp) return "backed up";
  if (!span.op) return "step";
  const auto found = ops_.find(span.pipeline);
  const bool known = found != ops_.end() && Index(*span.op) < found->second.size();
  return known ? std::string_view(found->second[Index(*span.op)]) : "op";
}

std::unique_ptr<TraceWriter> MakeTraceWriter(TraceFormat format) {
  if (format == TraceFormat::kChromeJson) return std::make_unique<ChromeTrace>();
  return std::make_unique<PerfettoTrace>();
}

}  // namespace sluice::exporters

#include "sluice/exporters/whole_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "session/session_writer.h"
#include "text/figures.h"
#include "text/styled_line.h"

namespace sluice::exporters {
namespace {

constexpr std::size_t kEach = 1000;  // snapshots in a transaction

std::vector<std::string> NamesOf(const LoggedDecision& decision, const WholePipeline& pipeline) {
  std::vector<std::string> names;
  names.reserve(decision.decision.changes.size());
  for (const KnobChange& change : decision.decision.changes)
    names.push_back(KnobName(change.knob, pipeline.states.front().now.knobs));
  return names;
}

Result<void> WritePipeline(SessionWriter& writer, std::uint32_t number, const WholePipeline& pipeline) {
  std::vector<SessionEntry> entries = {PipelineEntry{number, pipeline.info}};
  for (const RecordedEvent& event : pipeline.events)
    entries.emplace_back(EventEntry{number, event.at, event.text});
  for (const LoggedDecision& decision : pipeline.decisions.entries())
    entries.emplace_back(DecisionEntry{number, decision, NamesOf(decision, pipeline)});
  for (const RecordedState& state : pipeline.states) {
    entries.emplace_back(SnapshotEntry{number, state.now, state.verdict, state.beliefs});
    if (entries.size() < kEach) continue;
    if (auto written = writer.Write(entries); !written) return written;
    entries.clear();
  }
  return writer.Write(entries);
}

// So that none of them is thinned out.
SessionOptions Everything() {
  return {.limit = Bytes{INT64_MAX / 2}, .recent = Nanos::max() / 2};
}

std::string TakenText(const ConsumerReading& consumer) {
  if (!consumer.items_known) return "batches not counted";
  return consumer.rows_known ? fmt::format("{} rows", consumer.rows)
                             : fmt::format("{} batches", consumer.items);
}

void AddWrapped(std::string& text, const std::string& first, std::string_view sentence,
                const TextStyle& style) {
  const auto indent = static_cast<int>(first.size());
  const std::string rest(first.size(), ' ');
  bool begun = false;
  for (const std::string& line : Wrap(sentence, std::max(style.width - indent, 20), style)) {
    text += (begun ? rest : first) + Paint({{line}}, style) + "\n";
    begun = true;
  }
}

std::vector<std::string> TextsOf(const std::vector<WholePipeline>& pipelines) {
  std::vector<std::string> texts;
  for (const WholePipeline& pipeline : pipelines) {
    for (const RecordedEvent& event : pipeline.events) {
      if (std::ranges::find(texts, event.text) == texts.end()) texts.push_back(event.text);
    }
  }
  return texts;
}

}  // namespace

Result<void> WriteWholeSession(const std::string& path, const SessionFacts& facts,
                               const std::vector<WholePipeline>& pipelines, const SessionEnd& end) {
  auto writer = SessionWriter::Create(path, facts, Everything());
  if (!writer) return std::unexpected(writer.error());
  std::uint32_t number = 0;
  for (const WholePipeline& pipeline : pipelines) {
    if (auto written = WritePipeline(**writer, ++number, pipeline); !written) return written;
  }
  return (*writer)->Finish(end.at, Nanos(0), end.outcome);
}

std::string WholeSessionText(const std::vector<WholePipeline>& pipelines, const TextStyle& style) {
  std::string text;
  for (const WholePipeline& pipeline : pipelines) {
    const RecordedState& last = pipeline.states.back();
    const Nanos length = last.now.at - pipeline.states.front().now.at;
    text += Paint({{pipeline.info.name, Tone::kTitle},
                   {fmt::format(": {} in {}", TakenText(last.now.consumer), ElapsedText(length))}},
                  style) +
            "\n";
    AddWrapped(text, "  ", VerdictText(last.verdict), style);
  }
  for (const std::string& note : TextsOf(pipelines)) AddWrapped(text, "- ", note, style);
  return text;
}

}  // namespace sluice::exporters

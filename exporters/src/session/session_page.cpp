#include "sluice/exporters/session_page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <utility>
#include <vector>

#include "session/settled_part.h"
#include "session/svg_chart.h"
#include "session/timeline.h"
#include "sluice/base/limit_words.h"
#include "sluice/base/placement.h"
#include "sluice/base/text.h"
#include "sluice/exporters/view_rows.h"
#include "text/figures.h"

namespace sluice::exporters {
namespace {

constexpr std::size_t kMostPoints = 240;  // of a curve
constexpr std::size_t kLeastPoints = 20;
constexpr std::size_t kMostPipelines = 16;
constexpr std::size_t kMostMarks = 40;  // decisions in a picture, the last ones
constexpr std::size_t kMostEvents = 100;

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1a1c1f; --dim: #565d66; --paper: #ffffff; --rule: #d9dde2; --line: #0b5fa5; --mark: #a34700; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --dim: #a3abb5; --paper: #16181b; --rule: #3a3f46; --line: #6bb3f2; --mark: #f0a35e; }
}
@media print {
  :root { --ink: #000000; --dim: #444444; --paper: #ffffff; --rule: #bbbbbb; --line: #0b5fa5; --mark: #a34700; }
  figure, tr { break-inside: avoid; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5rem; } h3 { margin-top: 1.5rem; }
.dim { color: var(--dim); } .verdict { font-size: 1.15rem; border-left: 4px solid var(--mark); padding-left: .8rem; }
figure { margin: .4rem 0; } svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg .title { fill: var(--ink); font-size: 12px; } svg .axis { fill: var(--dim); } svg .label { fill: var(--mark); }
svg .grid { stroke: var(--rule); } svg .mark { stroke: var(--mark); stroke-dasharray: 3 3; }
svg .line { fill: none; stroke: var(--line); stroke-width: 1.6; stroke-linejoin: round; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem .2rem 0; text-align: right; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { color: var(--dim); font-weight: 600; } .left { text-align: left; } .limits td:first-child { color: var(--mark); font-weight: 700; }
)css";

using Cells = std::vector<std::string>;

std::string Element(std::string_view tag, std::string_view text, std::string_view css_class = "") {
  const std::string attribute = css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class);
  return fmt::format("<{}{}>{}</{}>\n", tag, attribute, Escaped(text), tag);
}

// `left`: how many of the first columns hold text.
std::string RowHtml(std::string_view tag, const Cells& cells, std::size_t left,
                    std::string_view css_class = "") {
  std::string html = css_class.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", css_class);
  for (std::size_t i = 0; i < cells.size(); ++i)
    html += fmt::format("<{0}{1}>{2}</{0}>", tag, i < left ? " class=\"left\"" : "", Escaped(cells[i]));
  return html + "</tr>\n";
}

std::string TableHtml(const std::string& head, const std::string& body) {
  return "<div class=\"wide\"><table><thead>" + head + "</thead><tbody>" + body + "</tbody></table></div>\n";
}

std::string UtcText(Nanos wall) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

std::string FactsText(const SessionFacts& facts) {
  const MachineShape& machine = facts.machine;
  std::string text = fmt::format("sluice {} {}", facts.verb, facts.version);
  if (!facts.run_id.empty()) text += ", run " + facts.run_id;
  text += facts.started_wall > Nanos(0) ? ", " + UtcText(facts.started_wall) : ", of an unknown day";
  text += "; " + (machine.cpu.empty() ? "unknown CPU" : machine.cpu);
  if (machine.logical_cpus > 0) text += fmt::format(", {} CPUs", machine.logical_cpus);
  if (machine.numa_nodes > 1) text += fmt::format(", {} NUMA nodes", machine.numa_nodes);
  if (machine.memory) text += ", " + BytesText(machine.memory);
  return text;
}

std::string EndText(const SessionReader& session) {
  const auto& end = session.end();
  if (!end) return "How it ended is not recorded: it was going on, or was killed.";
  const std::string& outcome = end->outcome;
  return outcome.empty() ? "It has ended." : "It " + outcome + ".";
}

std::string TitleOf(const SessionPipeline& info) {
  return info.rank ? fmt::format("{} (rank {})", info.name, *info.rank) : info.name;
}

std::string FigureHtml(const Chart& chart, const std::vector<ChartMark>& marks) {
  return "<figure>" + ChartSvg(chart, marks) + "</figure>\n";
}

std::vector<ChartMark> MarksOf(const std::vector<DecisionRow>& decisions) {
  std::vector<ChartMark> marks;
  const std::size_t from = decisions.size() - std::min(decisions.size(), kMostMarks);
  for (std::size_t i = from; i < decisions.size(); ++i) {
    const DecisionRow& row = decisions[i];
    marks.push_back({row.at, std::to_string(row.id),
                     fmt::format("{}: {} ({})", row.id, ChangesText(row.changes), FateName(row.fate))});
  }
  return marks;
}

std::string CurvesHtml(const Timeline& timeline, const std::vector<ChartMark>& marks) {
  std::string html = Element("h3", "Over time");
  const char* rate = timeline.in_batches ? "batches per second" : "rows per second";
  html += FigureHtml({rate, timeline.rate, timeline.length}, marks);
  html += FigureHtml({"share of its time that the consumer was starved", timeline.starved, timeline.length,
                      true, false, 110},
                     marks);
  for (const NamedCurve& connector : timeline.connectors)
    html += FigureHtml(
        {"items waiting in " + connector.name, connector.curve, timeline.length, false, false, 90}, {});
  for (const NamedCurve& knob : timeline.knobs)
    html += FigureHtml({knob.name, knob.curve, timeline.length, false, true, 90}, marks);
  return html;
}

std::string OpsHtml(const SettledPart& part) {
  std::string body;
  for (const OpRow& row : part.ops) {
    const OpInterval& seen = row.seen;
    body += RowHtml(
        "td",
        {row.info.name + (row.limits ? " limits" : ""), row.info.kind, std::to_string(row.total.workers),
         RateText(seen.items), PercentText(seen.busy), PercentText(seen.starved), PercentText(seen.backed_up),
         PercentText(seen.on_cpu), DurationText(seen.p50), DurationText(seen.p99),
         row.total.counted ? std::to_string(row.total.failed) : kMissing},
        2, row.limits ? "limits" : "");
  }
  const std::string head = RowHtml("th",
                                   {"op", "kind", "workers", "items/s", "busy", "starved", "backed up",
                                    "on CPU", "p50", "p99", "failed rows"},
                                   2);
  return Element("h3", fmt::format("Ops from {} to {}", ElapsedText(part.from), ElapsedText(part.to))) +
         TableHtml(head, body);
}

std::string DecisionsHtml(const std::vector<DecisionRow>& decisions, bool imported) {
  if (decisions.empty()) return imported ? "" : Element("p", "Nothing was changed.", "dim");
  std::string body;
  for (const DecisionRow& row : decisions) {
    const std::string author = row.author == Author::kUser ? ", by the user" : "";
    body += RowHtml("td",
                    {std::to_string(row.id), ElapsedText(row.at), ChangesText(row.changes),
                     std::string(FateName(row.fate)) + author, row.because, GainText(row.predicted_gain),
                     GainText(row.measured_gain)},
                    5);
  }
  const std::string head = RowHtml("th", {"", "at", "change", "fate", "because", "predicted", "measured"}, 5);
  return Element("h3", "Decisions") + TableHtml(head, body);
}

std::string SettingsHtml(const std::vector<KnobRow>& knobs) {
  if (knobs.empty()) return "";
  std::string body;
  for (const KnobRow& row : knobs) {
    body += RowHtml("td",
                    {row.now.name, row.start ? KnobValueText(row.now.id.kind, *row.start) : kMissing,
                     KnobValueText(row.now.id.kind, row.now.value), KnobRangeText(row.now),
                     row.now.holder == Holder::kUser ? "held" : "auto"},
                    1);
  }
  return Element("h3", "Settings") +
         TableHtml(RowHtml("th", {"knob", "start", "end", "range", "holder"}, 1), body);
}

std::string NotesHtml(const std::vector<RecordedEvent>& notes) {
  if (notes.empty()) return "";
  std::string html = Element("h3", "What is missing or assumed");
  for (std::size_t i = 0; i < std::min(notes.size(), kMostEvents); ++i) html += Element("p", notes[i].text);
  return html;
}

std::string EventsHtml(const std::vector<RecordedEvent>& events, MonoTime begin) {
  if (events.empty()) return "";
  std::string body;
  const std::size_t from = events.size() - std::min(events.size(), kMostEvents);
  for (std::size_t i = from; i < events.size(); ++i)
    body += RowHtml("td", {ElapsedText(events[i].at - begin), events[i].text}, 2);
  return Element("h3", "What the process said") + TableHtml(RowHtml("th", {"at", ""}, 2), body);
}

std::string SummaryText(const SettledPart& part, Nanos length, const ConsumerReading& consumer) {
  const bool in_batches = part.rate.in_batches;
  const char* what = in_batches ? "batches" : "rows";
  const std::string count =
      consumer.items_known ? std::to_string(in_batches ? consumer.items : consumer.rows) : kMissing;
  return fmt::format("{} {} in {}; {} {} per second and the consumer starved {} of its time from {} to {}.",
                     count, what, ElapsedText(length), RateText(part.rate.mean), what,
                     PercentText(part.starved), ElapsedText(part.from), ElapsedText(part.to));
}

// Windows of half a second at least: shorter ones would show single batches.
std::size_t PointsOf(const RecordedPipeline& pipeline) {
  const double seconds = Seconds(pipeline.moments.back().at - pipeline.moments.front().at);
  return std::clamp(static_cast<std::size_t>(2 * seconds), kLeastPoints, kMostPoints);
}

Result<std::string> PipelineHtml(const SessionReader& session, std::size_t number, bool several) {
  const RecordedPipeline& pipeline = session.pipelines()[number];
  const MonoTime begin = pipeline.moments.front().at;
  const auto timeline = MeasureTimeline(session, number, PointsOf(pipeline));
  const auto part = MeasureSettled(session, number, CountedInBatches(pipeline));
  const auto decisions = session.Decisions(number);
  const auto events = session.Events(number);
  const auto first = session.At(number, 0);
  const auto last = session.At(number, pipeline.moments.size() - 1);
  if (!timeline) return std::unexpected(timeline.error());
  if (!part) return std::unexpected(part.error());
  if (!decisions) return std::unexpected(decisions.error());
  if (!events) return std::unexpected(events.error());
  if (!first || !last) return std::unexpected((first ? last : first).error());
  const auto rows = DecisionRows(*decisions, begin, last->now.knobs);
  std::string html = several ? Element("h2", TitleOf(pipeline.info)) : "";
  html += Element("p", VerdictText(part->verdict), "verdict");
  html += Element("p", SummaryText(*part, timeline->length, last->now.consumer));
  html += CurvesHtml(*timeline, MarksOf(rows));
  const bool imported = session.facts().verb == kImportVerb;
  html += OpsHtml(*part) + DecisionsHtml(rows, imported) +
          SettingsHtml(KnobRows(first->now.knobs, last->now.knobs));
  return html + (imported ? NotesHtml(*events) : EventsHtml(*events, begin));
}

// Those with most items first, in the order of the file where they have as many.
std::vector<std::size_t> ByItems(const SessionReader& session) {
  std::vector<std::size_t> order(session.pipelines().size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto items = [&](std::size_t i) { return session.pipelines()[i].moments.back().consumer.items; };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return items(a) != items(b) ? items(a) > items(b) : a < b;
  });
  return order;
}

}  // namespace

Result<std::string> SessionPage(const SessionReader& session) {
  const std::string& name = session.facts().name;
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  html +=
      Element("title", name + " - Sluice") + "<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n";
  html += Element("h1", name) + Element("p", FactsText(session.facts()), "dim") +
          Element("p", EndText(session), "dim");
  const std::vector<std::size_t> order = ByItems(session);
  const std::size_t shown = std::min(order.size(), kMostPipelines);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto pipeline = PipelineHtml(session, order[i], order.size() > 1);
    if (!pipeline) return std::unexpected(pipeline.error());
    html += *pipeline;
  }
  if (shown < order.size())
    html += Element("p", fmt::format("{} more have fewer items and are not shown.", order.size() - shown));
  return html + "</body>\n</html>\n";
}

}  // namespace sluice::exporters

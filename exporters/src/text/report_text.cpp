#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sluice/base/placement.h"
#include "sluice/exporters/run_report.h"
#include "sluice/exporters/view_rows.h"
#include "text/decision_table.h"
#include "text/figures.h"
#include "text/op_table.h"
#include "text/styled_line.h"
#include "text/table.h"

namespace sluice::exporters {
namespace {

using Lines = std::vector<StyledLine>;

constexpr double kAsPlaced = 0.99;  // of time and of pages: below it a placement is not what was asked for

void Append(Lines& lines, Lines more) {
  std::ranges::move(more, std::back_inserter(lines));
}

StyledLine TitleLine(const RunReport& report) {
  const ConsumerReading& consumer = report.end.consumer;
  return {
      {report.scenario, Tone::kTitle},
      {" " + std::string(OutcomeText(report)), report.ended == RunEnd::kFailed ? Tone::kBad : Tone::kStrong},
      {fmt::format(" after {}: {} {}, {} rows", ElapsedText(report.end.at - report.start.at), consumer.items,
                   ItemsWord(report.end), consumer.rows)}};
}

StyledLine MachineLine(const RunReport& report) {
  const MachineShape& machine = report.machine;
  std::string text = machine.cpu.empty() ? "unknown CPU" : machine.cpu;
  if (machine.logical_cpus > 0) text += fmt::format(", {} CPUs", machine.logical_cpus);
  if (machine.numa_nodes > 1) text += fmt::format(", {} NUMA nodes", machine.numa_nodes);
  if (machine.memory) text += ", " + BytesText(machine.memory);
  const Budget& budget = report.end.budget;
  text += fmt::format("; budget {} cores", CoresText(budget.cores));
  if (budget.memory.count > 0) text += ", " + BytesText(budget.memory) + " of buffers";
  return {{text, Tone::kDim}};
}

Lines Wrapped(const std::string& label, const std::string& text, Tone tone, const TextStyle& style) {
  Lines lines;
  const int indent = static_cast<int>(label.size());
  for (std::string& part : Wrap(text, style.width - indent, style)) {
    const bool first = lines.empty();
    lines.push_back({{first ? label : std::string(label.size(), ' '), first ? tone : Tone::kPlain},
                     {std::move(part), tone}});
  }
  return lines;
}

void AddWindow(Table& table, const char* name, const std::optional<ConsumerInterval>& window,
               const RunReport& report, std::optional<double> gain = {}) {
  const ConsumerInterval seen = window.value_or(ConsumerInterval{});
  table.Add({{name, Tone::kStrong},
             {RateText(seen.items), Tone::kStrong},
             {ItemsWord(report.end) + "/s"},
             {RateText(seen.rows)},
             {"rows/s"},
             {"starved " + PercentText(seen.starved), StarvedTone(seen.starved)},
             {window ? "over " + ElapsedText(seen.length) : "", Tone::kDim},
             {gain ? fmt::format("× {:.2f}", *gain) : "", Tone::kStrong}});
}

Lines ThroughputLines(const RunReport& report, const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"", Align::kRight},
               {"", Align::kLeft},
               {"", Align::kRight},
               {"", Align::kLeft},
               {"", Align::kRight},
               {"", Align::kRight, 1},
               {"", Align::kLeft}});
  AddWindow(table, "before", report.first_window, report);
  AddWindow(table, "after", report.last_window, report, Speedup(report));
  AddWindow(table, "whole run", MeasureConsumer(report.start, report.end), report);
  return table.Lines(style);
}

std::string HolderText(const Knob& knob) {
  return KnobRangeText(knob) + (knob.holder == Holder::kUser ? ", pinned by the user" : "");
}

Lines SettingLines(const RunReport& report, const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"setting", Align::kLeft, 0, true},
               {"start"},
               {"end"},
               {"range", Align::kLeft, 1}});
  for (const KnobRow& row : KnobRows(report.start.knobs, report.end.knobs)) {
    table.Add({{" "},
               {row.now.name, Tone::kStrong},
               {row.start ? KnobValueText(row.now.id.kind, *row.start) : kMissing},
               {KnobValueText(row.now.id.kind, row.now.value), row.changed() ? Tone::kGood : Tone::kPlain},
               {HolderText(row.now), Tone::kDim}});
  }
  return table.Lines(style);
}

template <typename Count>
std::optional<Fraction> ShareOf(Count part, Count all) {
  if (all == Count(0)) return std::nullopt;
  return Fraction{static_cast<double>(part) / static_cast<double>(all)};
}

// What was asked of the kernel is one thing, what it has done another.
Lines PlaceLines(const std::vector<OpRow>& rows, const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"placed", Align::kLeft, 0, true},
               {"where", Align::kLeft},
               {"CPU time there"},
               {"pages there"}});
  for (const OpRow& row : rows) {
    if (!row.place || !row.total.place) continue;
    const PlaceReading& seen = *row.total.place;
    const auto time = ShareOf(seen.at_home.count(), (seen.at_home + seen.elsewhere).count());
    const auto pages = ShareOf(seen.pages_at_home, seen.pages);
    table.Add({{" "},
               {row.info.name, Tone::kStrong},
               {PlacementText(*row.place)},
               {PercentText(time), time && time->value < kAsPlaced ? Tone::kWarn : Tone::kPlain},
               {PercentText(pages), pages && pages->value < kAsPlaced ? Tone::kWarn : Tone::kPlain}});
  }
  return table.Lines(style);
}

void Section(Lines& lines, Lines section) {
  if (section.size() < 2) return;
  lines.push_back({});
  Append(lines, std::move(section));
}

Lines Problems(const RunReport& report, const TextStyle& style) {
  Lines lines;
  if (!report.error.empty()) Append(lines, Wrapped("error     ", report.error, Tone::kBad, style));
  for (const std::string& warning : report.warnings) {
    Append(lines, Wrapped("warning   ", warning, Tone::kWarn, style));
  }
  return lines;
}

// The last line of a report, where there is one.
Lines FailedRowsLines(const RunReport& report, const TextStyle& style) {
  const RowFailures& rows = report.rows;
  if (rows.failed == 0) return {};
  std::string text = fmt::format("{} of {} rows", rows.failed, rows.read);
  if (rows.different < rows.failed) {
    text += fmt::format(" ({} different {})", rows.different, rows.different == 1 ? "row" : "rows");
  }
  text += report.failed_rows_file.empty() ? "; --failed-rows FILE lists them"
                                          : "; listed in " + report.failed_rows_file;
  Lines lines = {{}};
  Append(lines, Wrapped("failed    ", text, Tone::kWarn, style));
  return lines;
}

}  // namespace

std::string_view OutcomeText(const RunReport& report) {
  switch (report.ended) {
    case RunEnd::kFinished:
      return "finished";
    case RunEnd::kLimit:
      return "reached its limit";
    case RunEnd::kInterrupted:
      return "was interrupted";
    case RunEnd::kFailed:
      return "failed";
  }
  return "ended";
}

std::string ReportText(const RunReport& report, const TextStyle& style) {
  Lines lines = {TitleLine(report), MachineLine(report), {}};
  Append(lines, Wrapped("verdict   ", VerdictText(report.verdict), VerdictTone(report.verdict), style));
  Append(lines, Problems(report, style));
  lines.push_back({});
  Append(lines, ThroughputLines(report, style));
  Section(lines, OpLines(OpRows(report.start, report.end, report.verdict), nullptr, style));
  Section(lines, ConnectorTotalLines(ConnectorRows(report.start, report.end), style));
  Section(lines, SettingLines(report, style));
  Section(lines, PlaceLines(OpRows(report.start, report.end, report.verdict), style));
  const auto decisions = DecisionRows(report.decisions, report.start.at, report.end.knobs);
  if (!decisions.empty()) Section(lines, DecisionTable(decisions, Reasons::kWhole, style));
  Append(lines, FailedRowsLines(report, style));
  std::string text;
  for (const StyledLine& line : lines) text += Paint(line, style) + "\n";
  return text;
}

std::optional<double> Speedup(const RunReport& report) {
  if (!report.first_window || !report.last_window) return std::nullopt;
  const auto before = report.first_window->items;
  const auto after = report.last_window->items;
  if (!before || !after || before->per_second <= 0) return std::nullopt;
  return after->per_second / before->per_second;
}

}  // namespace sluice::exporters

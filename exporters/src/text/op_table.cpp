#include "text/op_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sluice/exporters/interval.h"
#include "text/figures.h"
#include "text/table.h"

namespace sluice::exporters {
namespace {

// What leaves first in a narrow window has the highest rank.
const std::vector<Column>& OpColumns() {
  static const auto* const kColumns = new std::vector<Column>{{"", Align::kLeft},
                                                              {"op", Align::kLeft, 0, true},
                                                              {"limit", Align::kLeft, 0},
                                                              {"kind", Align::kLeft, 8},
                                                              {"workers"},
                                                              {"depth"},
                                                              {"items/s"},
                                                              {"busy"},
                                                              {"starved"},
                                                              {"backed up", Align::kRight, 1},
                                                              {"on-CPU", Align::kRight, 5},
                                                              {"runnable", Align::kRight, 6},
                                                              {"off-CPU", Align::kRight, 4},
                                                              {"p50", Align::kRight, 7},
                                                              {"p99", Align::kRight, 3},
                                                              {"failed", Align::kRight, 2}};
  return *kColumns;
}

std::string WorkersCell(const Snapshot& now, std::size_t op, const TextStyle& style) {
  const int alive = now.ops[op].workers;
  const KnobId id{KnobKind::kWorkers, static_cast<std::uint32_t>(op)};
  const auto knob = std::ranges::find(now.knobs, id, &Knob::id);
  if (now.finished || knob == now.knobs.end() || knob->requested == alive) return std::to_string(alive);
  return fmt::format("{}{}{}", alive, SignsFor(style).arrow, knob->requested);
}

std::string DepthText(const ConnectorReading& reading) {
  return fmt::format("{}/{}", reading.depth, reading.capacity);
}

std::string DepthCell(const Snapshot& now, std::size_t op) {
  std::string text;
  for (std::size_t c = 0; c < std::min(now.connectors.size(), now.graph->connectors.size()); ++c) {
    if (Index(now.graph->connectors[c].from) != op) continue;
    text += (text.empty() ? "" : " ") + DepthText(now.connectors[c]);
  }
  return text;
}

// What takes most of the workers' time is the one to look at.
Tone ShareTone(std::optional<Fraction> share, Tone high) {
  if (!share) return Tone::kDim;
  return share->value >= 0.8 ? high : share->value < 0.05 ? Tone::kDim : Tone::kPlain;
}

std::vector<Span> OpCells(const Snapshot& from, const Snapshot& to, std::size_t op, bool limits, bool depths,
                          const TextStyle& style) {
  const OpInfo& info = to.graph->ops[op];
  const OpInterval seen = MeasureOp(from, to, op);
  const Tone tone = limits ? Tone::kBad : Tone::kPlain;
  const std::uint64_t failed = to.ops[op].failed;
  return {{limits ? std::string(SignsFor(style).limits) : " ", tone},
          {info.name, limits ? Tone::kBad : Tone::kStrong},
          {limits ? "LIMITS" : "", tone},
          {info.kind, Tone::kDim},
          {WorkersCell(to, op, style), Tone::kPlain},
          {depths ? DepthCell(to, op) : "", Tone::kPlain},
          {RateText(seen.items), Tone::kPlain},
          {PercentText(seen.busy), ShareTone(seen.busy, limits ? Tone::kBad : Tone::kStrong)},
          {PercentText(seen.starved), ShareTone(seen.starved, Tone::kPlain)},
          {PercentText(seen.backed_up), ShareTone(seen.backed_up, Tone::kPlain)},
          {PercentText(seen.on_cpu), ShareTone(seen.on_cpu, Tone::kPlain)},
          {PercentText(seen.runnable), ShareTone(seen.runnable, Tone::kWarn)},
          {PercentText(seen.off_cpu), ShareTone(seen.off_cpu, Tone::kWarn)},
          {DurationText(seen.p50), Tone::kPlain},
          {DurationText(seen.p99), Tone::kPlain},
          {failed > 0 ? std::to_string(failed) : "", Tone::kBad}};
}

// Only where the line's place does not tell.
std::string TargetCell(const Snapshot& now, const ConnectorInfo& info, const TextStyle& style) {
  const std::size_t next = Index(info.from) + 1;
  const bool obvious = info.to ? Index(*info.to) == next : next == now.graph->ops.size();
  if (obvious) return "";
  const bool known = info.to && Index(*info.to) < now.graph->ops.size();
  const std::string target = !info.to ? "consumer" : known ? now.graph->ops[Index(*info.to)].name : "?";
  return fmt::format("{} {}", SignsFor(style).arrow, target);
}

std::string MeanDepthText(std::optional<double> mean) {
  return mean ? fmt::format("{:.1f}", *mean) : kMissing;
}

std::vector<Span> ConnectorCells(const Snapshot& from, const Snapshot& to, std::size_t c,
                                 const TextStyle& style) {
  const ConnectorReading& reading = to.connectors[c];
  const ConnectorInterval seen = MeasureConnector(from, to, c);
  const Fraction fill = Share(static_cast<double>(reading.depth), static_cast<double>(reading.capacity));
  const int cells = style.width >= 120 ? 24 : style.width >= 96 ? 16 : 10;
  return {{fmt::format("  {}", SignsFor(style).flow), Tone::kDim},
          {DepthText(reading), Tone::kPlain},
          {Bar(fill, cells, style), Tone::kDim},
          {fmt::format("mean {}", MeanDepthText(seen.mean_depth)), Tone::kDim},
          {fmt::format("empty {}", PercentText(seen.empty)), ShareTone(seen.empty, Tone::kPlain)},
          {fmt::format("full {}", PercentText(seen.full)), ShareTone(seen.full, Tone::kPlain)},
          {BytesText(reading.bytes), Tone::kDim},
          {TargetCell(to, to.graph->connectors[c], style), Tone::kDim}};
}

std::size_t ConnectorCount(const Snapshot& snapshot) {
  return snapshot.graph ? std::min(snapshot.connectors.size(), snapshot.graph->connectors.size()) : 0;
}

}  // namespace

std::vector<StyledLine> OpLines(const Snapshot& from, const Snapshot& to, const Verdict& verdict, bool depths,
                                const TextStyle& style) {
  Table table(OpColumns());
  const std::size_t count = to.graph ? std::min(to.ops.size(), to.graph->ops.size()) : 0;
  for (std::size_t op = 0; op < count; ++op) {
    table.Add(OpCells(from, to, op, IsLimit(verdict, op), depths, style));
  }
  return table.Lines(style);
}

std::vector<StyledLine> ConnectorLines(const Snapshot& from, const Snapshot& to, const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"", Align::kRight},
               {"", Align::kLeft, 1},
               {"", Align::kRight, 3},
               {"", Align::kRight},
               {"", Align::kRight},
               {"", Align::kRight, 2},
               {"", Align::kLeft, 0, true}});
  for (std::size_t c = 0; c < ConnectorCount(to); ++c) table.Add(ConnectorCells(from, to, c, style));
  return table.Lines(style);
}

std::vector<StyledLine> ConnectorTotalLines(const Snapshot& from, const Snapshot& to,
                                            const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"connector", Align::kLeft, 0, true},
               {"capacity"},
               {"mean depth"},
               {"high water", Align::kRight, 1},
               {"empty"},
               {"full"},
               {"pushed", Align::kRight, 2},
               {"popped", Align::kRight, 3}});
  for (std::size_t c = 0; c < ConnectorCount(to); ++c) {
    const ConnectorReading& reading = to.connectors[c];
    const ConnectorInterval seen = MeasureConnector(from, to, c);
    table.Add({{" "},
               {to.graph->connectors[c].name, Tone::kStrong},
               {std::to_string(reading.capacity)},
               {MeanDepthText(seen.mean_depth)},
               {std::to_string(reading.high_water)},
               {PercentText(seen.empty)},
               {PercentText(seen.full)},
               {std::to_string(reading.pushed)},
               {std::to_string(reading.popped)}});
  }
  return table.Lines(style);
}

}  // namespace sluice::exporters

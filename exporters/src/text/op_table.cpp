#include "text/op_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/figures.h"
#include "text/table.h"

namespace sluice::exporters {
namespace {

// What leaves first in a narrow window has the highest rank.
const std::vector<Column>& OpColumns() {
  static const auto* const kColumns = new std::vector<Column>{{"", Align::kLeft},
                                                              {"op", Align::kLeft, 0, true},
                                                              {"limit", Align::kLeft, 0},
                                                              {"kind", Align::kLeft, 9},
                                                              {"regime", Align::kLeft, 5},
                                                              {"workers"},
                                                              {"depth"},
                                                              {"items/s"},
                                                              {"busy"},
                                                              {"starved"},
                                                              {"backed up", Align::kRight, 1},
                                                              {"on-CPU", Align::kRight, 6},
                                                              {"runnable", Align::kRight, 7},
                                                              {"off-CPU", Align::kRight, 4},
                                                              {"p50", Align::kRight, 8},
                                                              {"p99", Align::kRight, 3},
                                                              {"failed", Align::kRight, 2}};
  return *kColumns;
}

std::string WorkersCell(const OpRow& row, const TextStyle& style) {
  if (!row.workers_wanted) return std::to_string(row.total.workers);
  return fmt::format("{}{}{}", row.total.workers, SignsFor(style).arrow, *row.workers_wanted);
}

std::string DepthText(const ConnectorReading& reading) {
  return fmt::format("{}/{}", reading.depth, reading.capacity);
}

std::string DepthCell(const std::vector<ConnectorRow>& connectors, std::size_t op) {
  std::string text;
  for (const ConnectorRow& row : connectors) {
    if (row.from_op == op) text += (text.empty() ? "" : " ") + DepthText(row.total);
  }
  return text;
}

// What takes most of the workers' time is the one to look at.
Tone ShareTone(std::optional<Fraction> share, Tone high) {
  if (!share) return Tone::kDim;
  return share->value >= 0.8 ? high : share->value < 0.05 ? Tone::kDim : Tone::kPlain;
}

std::vector<Span> OpCells(const OpRow& row, std::string depths, const TextStyle& style) {
  const OpInfo& info = row.info;
  const OpInterval& seen = row.seen;
  const bool limits = row.limits;
  const Tone tone = limits ? Tone::kBad : Tone::kPlain;
  const std::uint64_t failed = row.total.failed;
  return {{limits ? std::string(SignsFor(style).limits) : " ", tone},
          {info.name, limits ? Tone::kBad : Tone::kStrong},
          {limits ? "LIMITS" : "", tone},
          {info.kind, Tone::kDim},
          {std::string(RegimeName(row.regime)), Tone::kDim},
          {WorkersCell(row, style), Tone::kPlain},
          {std::move(depths), Tone::kPlain},
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
std::string TargetCell(const ConnectorRow& row, const TextStyle& style) {
  if (row.to_next) return "";
  const std::string target = !row.to ? "consumer" : row.to->empty() ? "?" : *row.to;
  return fmt::format("{} {}", SignsFor(style).arrow, target);
}

std::string MeanDepthText(std::optional<double> mean) {
  return mean ? fmt::format("{:.1f}", *mean) : kMissing;
}

std::vector<Span> ConnectorCells(const ConnectorRow& row, const TextStyle& style) {
  const ConnectorReading& reading = row.total;
  const ConnectorInterval& seen = row.seen;
  const Fraction fill = Share(static_cast<double>(reading.depth), static_cast<double>(reading.capacity));
  const int cells = style.width >= 120 ? 24 : style.width >= 96 ? 16 : 10;
  return {{fmt::format("  {}", SignsFor(style).flow), Tone::kDim},
          {DepthText(reading), Tone::kPlain},
          {Bar(fill, cells, style), Tone::kDim},
          {fmt::format("mean {}", MeanDepthText(seen.mean_depth)), Tone::kDim},
          {fmt::format("empty {}", PercentText(seen.empty)), ShareTone(seen.empty, Tone::kPlain)},
          {fmt::format("full {}", PercentText(seen.full)), ShareTone(seen.full, Tone::kPlain)},
          {reading.counted ? BytesText(reading.bytes) : kMissing, Tone::kDim},
          {TargetCell(row, style), Tone::kDim}};
}

}  // namespace

std::vector<StyledLine> OpLines(const std::vector<OpRow>& ops, const std::vector<ConnectorRow>* connectors,
                                const TextStyle& style) {
  Table table(OpColumns());
  for (std::size_t op = 0; op < ops.size(); ++op) {
    table.Add(OpCells(ops[op], connectors != nullptr ? DepthCell(*connectors, op) : "", style));
  }
  return table.Lines(style);
}

std::vector<StyledLine> ConnectorLines(const std::vector<ConnectorRow>& connectors, const TextStyle& style) {
  Table table({{"", Align::kLeft},
               {"", Align::kRight},
               {"", Align::kLeft, 1},
               {"", Align::kRight, 3},
               {"", Align::kRight},
               {"", Align::kRight},
               {"", Align::kRight, 2},
               {"", Align::kLeft, 0, true}});
  for (const ConnectorRow& row : connectors) table.Add(ConnectorCells(row, style));
  return table.Lines(style);
}

std::vector<StyledLine> ConnectorTotalLines(const std::vector<ConnectorRow>& connectors,
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
  for (const ConnectorRow& row : connectors) {
    const ConnectorReading& reading = row.total;
    const ConnectorInterval& seen = row.seen;
    table.Add({{" "},
               {row.name, Tone::kStrong},
               {std::to_string(reading.capacity)},
               {MeanDepthText(seen.mean_depth)},
               {std::to_string(reading.high_water)},
               {PercentText(seen.empty)},
               {PercentText(seen.full)},
               {reading.counted ? std::to_string(reading.pushed) : kMissing},
               {reading.counted ? std::to_string(reading.popped) : kMissing}});
  }
  return table.Lines(style);
}

}  // namespace sluice::exporters

#include "sluice/exporters/live_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sluice/base/machine_limits.h"
#include "sluice/exporters/interval.h"
#include "sluice/exporters/view_rows.h"
#include "text/decision_table.h"
#include "text/figures.h"
#include "text/op_table.h"
#include "text/styled_line.h"

namespace sluice::exporters {
namespace {

using Lines = std::vector<StyledLine>;

constexpr int kLabelWidth = 10;
constexpr std::size_t kMostDecisions = 6;
constexpr std::size_t kMostVerdictLines = 3;
constexpr std::size_t kHeaderLines = 3;

void Append(Lines& lines, Lines more) {
  std::ranges::move(more, std::back_inserter(lines));
}

// The pieces that fit, in order; the last ones leave first.
StyledLine FitPieces(StyledLine line, const std::vector<StyledLine>& pieces, const TextStyle& style) {
  for (const StyledLine& piece : pieces) {
    if (LineWidth(line, style) + LineWidth(piece, style) > style.width) break;
    line.insert(line.end(), piece.begin(), piece.end());
  }
  return line;
}

StyledLine Label(const char* text) {
  return {{fmt::format("{:<{}}", text, kLabelWidth), Tone::kDim}};
}

StyledLine TitleLine(const LiveView& view, const TextStyle& style) {
  const std::string joint(SignsFor(style).joint);
  const bool began = view.now.at > view.start;
  std::vector<StyledLine> pieces = {{{joint + (began ? ElapsedText(view.now.at - view.start) : kMissing)}}};
  if (view.now.epoch_known) pieces.push_back({{joint + fmt::format("epoch {}", view.now.epoch)}});
  if (!view.mode.empty()) pieces.push_back({{joint + view.mode}});
  if (view.now.finished) pieces.push_back({{joint + "finished", Tone::kGood}});
  return FitPieces({{view.scenario.empty() ? "sluice" : view.scenario, Tone::kTitle}}, pieces, style);
}

std::string MemoryText(const Snapshot& now) {
  if (!now.buffered_known) return std::string(kMissing) + " buffered";
  if (now.budget.memory.count <= 0) return BytesText(now.buffered) + " buffered, no limit known";
  return fmt::format("{} of {} buffered", BytesText(now.buffered), BytesText(now.budget.memory));
}

// Where a quota holds the run back, what it uses of the cores tells nothing. Empty: none does, or there is no
// room.
StyledLine ThrottledPiece(const Snapshot& now, const TextStyle& style) {
  const CpuQuota* quota = now.machine ? ThrottlingQuota(*now.machine) : nullptr;
  if (quota == nullptr) return {};
  StyledLine piece = {{ThrottledText(*now.machine, *quota), Tone::kWarn},
                      {fmt::format(" ({} of periods) ", PercentText(quota->throttled_share))}};
  const bool fits = LineWidth(Label("process"), style) + LineWidth(piece, style) <= style.width;
  return fits ? piece : StyledLine{};
}

StyledLine CpuPiece(const LiveView& view, const TextStyle& style) {
  const Snapshot& now = view.now;
  if (StyledLine throttled = ThrottledPiece(now, style); !throttled.empty()) return throttled;
  const auto used = CoresUsed(view.previous, now);
  const Fraction cores = Share(used.value_or(0), now.budget.cores);
  StyledLine cpu = {{fmt::format("{} of {} cores ", used ? fmt::format("{:.1f}", *used) : kMissing,
                                 CoresText(now.budget.cores))}};
  if (used) cpu.push_back({Bar(cores, 8, style), cores.value > 0.95 ? Tone::kWarn : Tone::kDim});
  return cpu;
}

StyledLine BudgetLine(const LiveView& view, const TextStyle& style) {
  const Snapshot& now = view.now;
  StyledLine memory = {{"   " + MemoryText(now) + " "}};
  if (now.buffered_known && now.budget.memory.count > 0) {
    const auto limit = static_cast<double>(now.budget.memory.count);
    memory.push_back({Bar(Share(static_cast<double>(now.buffered.count), limit), 8, style), Tone::kDim});
  }
  return FitPieces(Label("process"),
                   {CpuPiece(view, style), memory, {{"   rss " + BytesText(now.rss), Tone::kDim}}}, style);
}

StyledLine ConsumerLine(const LiveView& view, const TextStyle& style) {
  const ConsumerInterval seen = MeasureConsumer(view.previous, view.now);
  const Tone tone = StarvedTone(seen.starved);
  StyledLine starved = {{"   starved "}, {PercentText(seen.starved), tone}, {" "}};
  if (seen.starved) starved.push_back({Bar(*seen.starved, 8, style), tone});
  StyledLine line = FitPieces(Label("consumer"),
                              {{{RateText(seen.items), Tone::kStrong}, {" " + ItemsWord(view.now) + "/s"}},
                               {{"   "}, {RateText(seen.rows), Tone::kStrong}, {" rows/s"}},
                               starved},
                              style);
  const int room = std::min(style.width - LineWidth(line, style) - 2, 60);
  if (room < 6 || view.starved_history.empty()) return line;
  return FitPieces(line, {{{"  "}, {Sparkline(view.starved_history, room, style), tone}}}, style);
}

bool FitsOps(const LiveView& view, std::size_t verdict_lines, const TextStyle& style) {
  return kHeaderLines + 1 + view.now.ops.size() + verdict_lines <= static_cast<std::size_t>(style.height);
}

Lines VerdictLines(const LiveView& view, const TextStyle& style) {
  Lines lines;
  for (std::string& text : Wrap(VerdictText(view.verdict), style.width - kLabelWidth, style)) {
    StyledLine line = Label(lines.empty() ? "verdict" : "");
    line.push_back({std::move(text), VerdictTone(view.verdict)});
    lines.push_back(std::move(line));
  }
  // In a window too low for the ops, one line of it has to do.
  const std::size_t most = FitsOps(view, lines.size(), style) ? kMostVerdictLines : 1;
  if (lines.size() > most) {
    lines.resize(most);
    lines.back().push_back({style.unicode ? " …" : " ..."});
  }
  return lines;
}

// How the window's height is shared out.
struct Plan {
  bool connectors = false;
  bool gaps = false;
  std::size_t decisions = 0;
};

Plan PlanFor(const LiveView& view, std::size_t fixed, const TextStyle& style) {
  Plan plan;
  const std::size_t each = LinesPerDecision(style);
  const std::size_t known = std::min(view.decisions.entries().size(), kMostDecisions);
  std::size_t left =
      style.height > static_cast<int>(fixed) ? static_cast<std::size_t>(style.height) - fixed : 0;
  const auto take = [&left](std::size_t lines) {
    const bool fits = lines <= left;
    if (fits) left -= lines;
    return fits;
  };
  if (known > 0 && take(1 + each)) plan.decisions = 1;
  plan.connectors = take(view.now.connectors.size());
  plan.gaps = take(plan.decisions > 0 ? 3 : 2);
  while (plan.decisions > 0 && plan.decisions < known && take(each)) ++plan.decisions;
  return plan;
}

Lines FlowLines(const LiveView& view, bool connectors, const TextStyle& style) {
  if (view.now.ops.empty()) return {{{"   no op has reported yet", Tone::kDim}}};
  const std::vector<ConnectorRow> rows = ConnectorRows(view.previous, view.now);
  Lines ops = OpLines(OpRows(view.previous, view.now, view.verdict), connectors ? nullptr : &rows, style);
  if (!connectors) return ops;
  Lines between = ConnectorLines(rows, style);
  Lines lines = {std::move(ops.front())};
  for (std::size_t op = 0; op + 1 < ops.size(); ++op) {
    lines.push_back(std::move(ops[op + 1]));
    for (std::size_t c = 0; c < between.size(); ++c) {
      if (rows[c].from_op == op) lines.push_back(std::move(between[c]));
    }
  }
  return lines;
}

// Where not even the ops fit, the window follows the one that limits.
Lines ShortenOps(Lines lines, const LiveView& view, std::size_t room) {
  if (lines.size() <= room || room < 3) return lines;
  const std::size_t shown = room - 2;
  const std::size_t focus = view.verdict.op.value_or(0);
  const std::size_t ops = lines.size() - 1;
  const std::size_t first = std::min(focus > shown / 2 ? focus - shown / 2 : 0, ops - shown);
  Lines kept = {std::move(lines.front())};
  for (std::size_t i = 0; i < shown; ++i) kept.push_back(std::move(lines[1 + first + i]));
  kept.push_back({{fmt::format("  {} more ops: enlarge the window", ops - shown), Tone::kDim}});
  return kept;
}

}  // namespace

std::vector<std::string> LiveTable(const LiveView& view, const TextStyle& style) {
  Lines lines = {TitleLine(view, style), BudgetLine(view, style), ConsumerLine(view, style)};
  Lines verdict = VerdictLines(view, style);
  for (const std::string& line : view.below) verdict.push_back({{line}});
  const std::size_t fixed = lines.size() + verdict.size();
  const Plan plan = PlanFor(view, fixed + 1 + view.now.ops.size(), style);
  if (plan.gaps) lines.push_back({});
  const std::size_t room = static_cast<std::size_t>(std::max(style.height, 0));
  Append(lines, ShortenOps(FlowLines(view, plan.connectors, style), view, room > fixed ? room - fixed : 0));
  if (plan.gaps) lines.push_back({});
  if (plan.decisions > 0) {
    Append(lines, DecisionTable(DecisionRows(view.decisions, view.start, view.now.knobs, plan.decisions),
                                Reasons::kClipped, style));
    if (plan.gaps) lines.push_back({});
  }
  Append(lines, std::move(verdict));
  if (lines.size() > room) lines.resize(room);
  std::vector<std::string> painted;
  for (const StyledLine& line : lines) painted.push_back(Paint(line, style));
  return painted;
}

}  // namespace sluice::exporters

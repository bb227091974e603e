#include "text/decision_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/figures.h"
#include "text/table.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

constexpr int kWideEnoughForReasons = 120;
constexpr int kIndent = 8;

std::vector<Span> Cells(const DecisionRow& row, bool with_reason, const TextStyle& style) {
  std::string fate(FateName(row.fate));
  if (row.author == Author::kUser) fate += ", by user";
  std::string changes = ChangesText(row.changes, style);
  if (with_reason) changes = Clip(changes, style.width * 2 / 5, style.unicode);
  return {{ElapsedText(row.at), Tone::kDim},
          {std::move(changes), Tone::kPlain},
          {fate, FateTone(row.fate)},
          {GainText(row.predicted_gain), Tone::kPlain},
          {GainText(row.measured_gain), Tone::kPlain},
          {with_reason ? row.because : "", Tone::kDim}};
}

std::vector<StyledLine> ReasonLines(const std::string& because, Reasons reasons, const TextStyle& style) {
  const std::string indent(kIndent, ' ');
  if (reasons == Reasons::kClipped) return {{{indent + because, Tone::kDim}}};
  std::vector<StyledLine> lines;
  for (std::string& line : Wrap(because, style.width - kIndent, style)) {
    lines.push_back({{indent + line, Tone::kDim}});
  }
  return lines;
}

}  // namespace

std::size_t LinesPerDecision(const TextStyle& style) {
  return style.width >= kWideEnoughForReasons ? 1 : 2;
}

std::vector<StyledLine> DecisionTable(const std::vector<DecisionRow>& decisions, Reasons reasons,
                                      const TextStyle& style) {
  const bool inside = reasons == Reasons::kClipped && LinesPerDecision(style) == 1;
  Table table({{"at"},
               {"decision", Align::kLeft, 0, true},
               {"fate", Align::kLeft},
               {"predicted"},
               {"measured"},
               {"because", Align::kLeft, 0, true}});
  for (const DecisionRow& row : decisions) table.Add(Cells(row, inside, style));
  std::vector<StyledLine> rows = table.Lines(style);
  if (inside) return rows;
  std::vector<StyledLine> lines = {std::move(rows.front())};
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    lines.push_back(std::move(rows[1 + i]));
    std::ranges::move(ReasonLines(decisions[i].because, reasons, style), std::back_inserter(lines));
  }
  return lines;
}

}  // namespace sluice::exporters

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

std::vector<Span> Cells(const LoggedDecision& entry, MonoTime start, const std::vector<Knob>& knobs,
                        bool with_reason, const TextStyle& style) {
  const Decision& decision = entry.decision;
  std::string fate(FateName(entry.fate));
  if (decision.author == Author::kUser) fate += ", by user";
  std::string changes = ChangesText(decision, knobs, style);
  if (with_reason) changes = Clip(changes, style.width * 2 / 5, style.unicode);
  return {{ElapsedText(decision.at - start), Tone::kDim},
          {std::move(changes), Tone::kPlain},
          {fate, FateTone(entry.fate)},
          {GainText(Gain(decision.before, decision.predicted)), Tone::kPlain},
          {GainText(Gain(decision.before, entry.measured)), Tone::kPlain},
          {with_reason ? decision.because : "", Tone::kDim}};
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

std::vector<StyledLine> DecisionTable(const DecisionLog& log, std::size_t count, MonoTime start,
                                      const std::vector<Knob>& knobs, Reasons reasons,
                                      const TextStyle& style) {
  const bool inside = reasons == Reasons::kClipped && LinesPerDecision(style) == 1;
  Table table({{"at"},
               {"decision", Align::kLeft, 0, true},
               {"fate", Align::kLeft},
               {"predicted"},
               {"measured"},
               {"because", Align::kLeft, 0, true}});
  const auto& entries = log.entries();
  const std::size_t first = entries.size() - std::min(count, entries.size());
  for (std::size_t i = first; i < entries.size(); ++i) {
    table.Add(Cells(entries[i], start, knobs, inside, style));
  }
  std::vector<StyledLine> rows = table.Lines(style);
  if (inside) return rows;
  std::vector<StyledLine> lines = {std::move(rows.front())};
  for (std::size_t i = first; i < entries.size(); ++i) {
    lines.push_back(std::move(rows[1 + i - first]));
    std::ranges::move(ReasonLines(entries[i].decision.because, reasons, style), std::back_inserter(lines));
  }
  return lines;
}

}  // namespace sluice::exporters

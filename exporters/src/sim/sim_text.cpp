#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sluice/base/limit_words.h"
#include "sluice/base/text.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/exporters/sim_report.h"
#include "text/figures.h"

namespace sluice::exporters {
namespace {

constexpr const char* kIndent = "            ";

std::string Place(const StoryEntry& entry) {
  return fmt::format("{:>8.1f}s  ", Seconds(entry.at));
}

std::string OptimumText(const SimOptimum& optimum) {
  return fmt::format("{:.4g} items/s, limited by {}", optimum.rate.per_second,
                     LimitWords(optimum.limit, optimum.op));
}

std::string MeasuredText(const SimMeasured& measured) {
  std::string text = fmt::format("{:.4g} items/s, {:.2f} of the optimum", measured.rate.per_second,
                                 measured.rate.per_second / measured.optimum.per_second);
  if (measured.starved) text += "; consumer starved " + PercentText(measured.starved);
  if (measured.cores) text += fmt::format("; {:.2f} cores", *measured.cores);
  return text + fmt::format("; {} buffered", FormatBytes(measured.buffered));
}

std::string PredictedText(const Decision& decision) {
  if (decision.predicted.per_second <= 0) return "predicted: nothing said";
  std::string text = fmt::format("predicted {:.4g} items/s", decision.predicted.per_second);
  if (const auto gain = Gain(decision.before, decision.predicted)) {
    text += " (" + GainText(gain) + ")";
  }
  return text;
}

std::string DecisionText(const StoryEntry& entry, const SimReport& report, const TextStyle& style) {
  const Decision& decision = entry.decision;
  std::string text =
      fmt::format("#{} {}\n", decision.id, ChangesText(NamedChanges(decision.changes, report.knobs), style));
  text += kIndent + ("measured " + MeasuredText(entry.measured)) + "\n";
  if (!decision.because.empty()) text += kIndent + ("because " + decision.because) + "\n";
  return text + kIndent + PredictedText(decision) + "\n";
}

std::string OutcomeText(const Outcome& outcome) {
  const std::string measured =
      outcome.measured ? fmt::format(", {:.4g} items/s measured", outcome.measured->per_second) : "";
  return fmt::format("#{} {}{}\n", outcome.decision, FateName(outcome.fate), measured);
}

std::string VerdictText(const Verdict& verdict, const SimReport& report) {
  const std::string op = verdict.op && *verdict.op < report.ops.size() ? report.ops[*verdict.op] : "";
  return fmt::format("verdict: {}{}\n", LimitWords(verdict.limit, op),
                     verdict.sentence.empty() ? "" : ": " + verdict.sentence);
}

std::string EntryText(const StoryEntry& entry, const SimReport& report, const TextStyle& style) {
  switch (entry.kind) {
    case StoryKind::kEvent:
      return "event: the optimum is now " + OptimumText(entry.optimum) + "\n";
    case StoryKind::kOutcome:
      return OutcomeText(entry.outcome);
    case StoryKind::kVerdict:
      return VerdictText(entry.decision.verdict, report);
    case StoryKind::kDecision:
      return DecisionText(entry, report, style);
  }
  return "\n";
}

std::string SettingsText(const SimReport& report) {
  std::size_t width = std::string_view("setting").size();
  for (const SettingRow& row : report.settings) width = std::max(width, row.name.size());
  std::string text =
      fmt::format("  {:<{}}  {:>6}  {:>6}  {:>6}\n", "setting", width, "start", "end", "oracle");
  for (const SettingRow& row : report.settings) {
    text += fmt::format("  {:<{}}  {:>6}  {:>6}  {:>6}\n", row.name, width, row.start, row.end, row.oracle);
  }
  return text;
}

std::string ValueText(const ScoreRow& score) {
  if (!score.value) return "-";
  return std::isfinite(*score.value) ? fmt::format("{:.{}f}", *score.value, score.decimals) : "never";
}

std::string ScoresText(const SimReport& report) {
  std::string text;
  for (const ScoreRow& score : report.scores) {
    text += fmt::format("  {:<22}{:>8}  {}\n", score.key, ValueText(score), score.meaning);
  }
  return text;
}

}  // namespace

std::string TraceText(const SimReport& report, const TextStyle& style) {
  std::string text;
  for (const StoryEntry& entry : report.story) {
    text += Place(entry) + EntryText(entry, report, style);
  }
  return text.empty() ? std::string(kIndent) + "nothing was changed and nothing was said\n" : text;
}

std::string SummaryText(const SimReport& report) {
  std::string text =
      fmt::format("{}, controller {}, seed {}\n", report.scenario, report.controller, report.seed);
  if (!report.summary.empty()) text += report.summary + "\n";
  for (const SimOptimum& optimum : report.optima) {
    text += fmt::format("  optimum from {:.4g} s: {}, {:.2f} cores\n", Seconds(optimum.from),
                        OptimumText(optimum), optimum.cores);
  }
  text += fmt::format(
      "  this run: {} items in {:.4g} s, {:.4g} items/s; {:.3f} of the optimum at the end "
      "(the oracle's run: {:.3f})\n\n",
      report.items, report.seconds, static_cast<double>(report.items) / report.seconds, report.final_share,
      report.oracle_final_share);
  return text + SettingsText(report) + "\n" + ScoresText(report);
}

}  // namespace sluice::exporters

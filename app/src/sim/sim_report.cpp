#include "sim/sim_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sluice/base/text.h"
#include "sluice/evaluation/figures.h"
#include "sluice/evaluation/limit_words.h"
#include "sluice/exporters/decision_log.h"

namespace sluice::app {
namespace {

constexpr const char* kIndent = "            ";

std::string Place(const StoryEntry& entry) {
  return fmt::format("{:>8.1f}s  ", Seconds(entry.at));
}

std::string OptimumText(const simulator::Optimum& optimum, const simulator::SimScenario& scenario) {
  return fmt::format("{:.4g} items/s, limited by {}", optimum.rate.per_second,
                     evaluation::LimitWords(optimum.limit, optimum.op, scenario));
}

std::string MeasuredText(const Measured& measured) {
  std::string text = fmt::format("{:.4g} items/s, {:.2f} of the optimum", measured.rate.per_second,
                                 measured.rate.per_second / measured.optimum.per_second);
  if (measured.starved) text += fmt::format("; consumer starved {:.0f} %", 100 * measured.starved->value);
  if (measured.cores) text += fmt::format("; {:.2f} cores", *measured.cores);
  return text + fmt::format("; {} buffered", FormatBytes(measured.buffered));
}

std::string PredictedText(const Decision& decision) {
  if (decision.predicted.per_second <= 0) return "predicted: nothing said";
  std::string text = fmt::format("predicted {:.4g} items/s", decision.predicted.per_second);
  if (const auto gain = exporters::Gain(decision.before, decision.predicted)) {
    text += fmt::format(" ({:+.0f} %)", 100 * *gain);
  }
  return text;
}

std::string DecisionText(const StoryEntry& entry, const SimResult& result,
                         const exporters::TextStyle& style) {
  const Decision& decision = entry.decision;
  std::string text =
      fmt::format("#{} {}\n", decision.id, exporters::ChangesText(decision, result.story.start(), style));
  text += kIndent + ("measured " + MeasuredText(entry.measured)) + "\n";
  if (!decision.because.empty()) text += kIndent + ("because " + decision.because) + "\n";
  return text + kIndent + PredictedText(decision) + "\n";
}

std::string OutcomeText(const Outcome& outcome) {
  const std::string measured =
      outcome.measured ? fmt::format(", {:.4g} items/s measured", outcome.measured->per_second) : "";
  return fmt::format("#{} {}{}\n", outcome.decision, exporters::FateName(outcome.fate), measured);
}

std::string VerdictText(const Verdict& verdict, const simulator::SimScenario& scenario) {
  return fmt::format("verdict: {}{}\n", evaluation::LimitWords(verdict.limit, verdict.op, scenario),
                     verdict.sentence.empty() ? "" : ": " + verdict.sentence);
}

std::string EntryText(const StoryEntry& entry, const SimResult& result, const exporters::TextStyle& style) {
  switch (entry.kind) {
    case StoryKind::kEvent:
      return "event: the optimum is now " + OptimumText(entry.optimum, result.scenario) + "\n";
    case StoryKind::kOutcome:
      return OutcomeText(entry.outcome);
    case StoryKind::kVerdict:
      return VerdictText(entry.decision.verdict, result.scenario);
    case StoryKind::kDecision:
      return DecisionText(entry, result, style);
  }
  return "\n";
}

std::int64_t ValueIn(const evaluation::RunRecord& record, const Knob& knob) {
  if (knob.id.kind == KnobKind::kWorkers) return record.workers[knob.id.target];
  return record.capacity[knob.id.target];
}

std::string SettingsText(const SimResult& result) {
  std::size_t width = std::string_view("setting").size();
  for (const SettingRow& row : Settings(result)) width = std::max(width, row.name.size());
  std::string text =
      fmt::format("  {:<{}}  {:>6}  {:>6}  {:>6}\n", "setting", width, "start", "end", "oracle");
  for (const SettingRow& row : Settings(result)) {
    text += fmt::format("  {:<{}}  {:>6}  {:>6}  {:>6}\n", row.name, width, row.start, row.end, row.oracle);
  }
  return text;
}

std::string ValueText(const evaluation::Figure& figure, const evaluation::Scores& scores) {
  const auto value = figure.of(scores);
  if (!value) return "-";
  return std::isfinite(*value) ? fmt::format("{:.{}f}", *value, figure.decimals) : "never";
}

std::string ScoresText(const evaluation::Scores& scores) {
  std::string text;
  for (const evaluation::Figure& figure : evaluation::Figures()) {
    text += fmt::format("  {:<22}{:>8}  {}\n", figure.key, ValueText(figure, scores), figure.meaning);
  }
  return text;
}

}  // namespace

std::vector<SettingRow> Settings(const SimResult& result) {
  std::vector<SettingRow> rows;
  for (const Knob& knob : result.story.start()) {
    if (knob.id.kind == KnobKind::kPlacement) continue;
    rows.push_back(
        {knob.name, knob.value, ValueIn(result.record, knob), ValueIn(result.yardstick.reachable, knob)});
  }
  return rows;
}

double ItemsOf(const evaluation::RunRecord& record) {
  double items = 0;
  for (const evaluation::RunTick& tick : record.ticks) items += static_cast<double>(tick.items);
  return items;
}

std::string TraceText(const SimResult& result, const exporters::TextStyle& style) {
  std::string text;
  for (const StoryEntry& entry : result.story.entries()) {
    text += Place(entry) + EntryText(entry, result, style);
  }
  return text.empty() ? std::string(kIndent) + "nothing was changed and nothing was said\n" : text;
}

std::string SummaryText(const SimResult& result) {
  const double items = ItemsOf(result.record);
  std::string text =
      fmt::format("{}, controller {}, seed {}\n", result.scenario.name, result.controller, result.seed);
  if (!result.scenario.summary.empty()) text += result.scenario.summary + "\n";
  for (const simulator::Optimum& optimum : result.yardstick.optima) {
    text += fmt::format("  optimum from {:.4g} s: {}, {:.2f} cores\n", Seconds(optimum.from),
                        OptimumText(optimum, result.scenario), optimum.cores);
  }
  text += fmt::format(
      "  this run: {:.0f} items in {:.4g} s, {:.4g} items/s; {:.3f} of the optimum at the end "
      "(the oracle's run: {:.3f})\n\n",
      items, result.scores.seconds, items / result.scores.seconds, result.scores.final_share,
      result.reachable.final_share);
  return text + SettingsText(result) + "\n" + ScoresText(result.scores);
}

}  // namespace sluice::app

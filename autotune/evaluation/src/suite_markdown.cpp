#include <fmt/format.h>

#include <limits>

#include "sluice/evaluation/suite_report.h"
#include "suite_words.h"
#include "text_table.h"

namespace sluice::evaluation {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// "0.981 (0.975..0.984)"; the quartiles only where they differ.
std::string Cell(const ControllerScores& scores, FigureId id) {
  const auto spread = SpreadOf(id, scores.seeds);
  if (!spread) return NumberText(std::nullopt, 0);
  const int decimals = FigureOf(id).decimals;
  const std::string low = NumberText(spread->low, decimals), high = NumberText(spread->high, decimals);
  const std::string median = NumberText(spread->median, decimals);
  return low == high ? median : fmt::format("{} ({}..{})", median, low, high);
}

std::string ScenarioMarkdown(const ScenarioScores& scenario) {
  std::vector<std::string> titles = {"controller"};
  for (const FigureId id : ShownFigures()) titles.emplace_back(FigureOf(id).title);
  titles.emplace_back("floors");
  TextTable table(std::move(titles));
  for (std::size_t c = 0; c < scenario.controllers.size(); ++c) {
    std::vector<std::string> cells = {scenario.controllers[c].controller};
    for (const FigureId id : ShownFigures()) cells.push_back(Cell(scenario.controllers[c], id));
    cells.push_back(FloorsText(HoldTo(scenario, c)));
    table.Add(std::move(cells));
  }
  return fmt::format("## {}\n\n{} {}; {:.4g} cores, {:.4g} s.\n\n{}\n", NameOf(scenario),
                     scenario.scenario.summary, OptimaText(scenario), scenario.scenario.machine.cores,
                     Seconds(scenario.scenario.duration), table.Markdown());
}

std::string StandingsMarkdown(const std::vector<Standing>& standings) {
  TextTable table({"controller", "least loss in", "exactly in", "floors met", "missed"});
  for (const Standing& standing : standings) {
    std::string missed;
    for (const MissedFloor& each : standing.missed) {
      missed += (missed.empty() ? "" : "; ") + MissedText(each, kAll);
    }
    table.Add({standing.controller, OfText(standing.lowest, standing.scenarios),
               OfText(standing.lowest_exactly, standing.scenarios), OfText(standing.met, standing.applied),
               missed});
  }
  return table.Markdown();
}

std::string FloorsMarkdown() {
  TextTable table({"floor", "wants", "reason"});
  for (const Floor& floor : Floors()) {
    table.Add({std::string(floor.name), std::string(floor.wants), std::string(floor.reason)});
  }
  const Floor& lowest = LowestFloor();
  table.Add({std::string(lowest.name), std::string(lowest.wants), std::string(lowest.reason)});
  return table.Markdown();
}

std::string FiguresMarkdown() {
  TextTable table({"column", "meaning"});
  for (const FigureId id : ShownFigures()) {
    table.Add({std::string(FigureOf(id).title), std::string(FigureOf(id).meaning)});
  }
  return table.Markdown();
}

}  // namespace

std::string SuiteMarkdown(const SuiteResult& result) {
  std::string text =
      fmt::format("# Controllers against the optimum\n\n{} (quartiles in brackets).\n\n", CountsText(result));
  text += StandingsMarkdown(Standings(result)) + "\n";
  text += FloorsMarkdown() + "\n" + FiguresMarkdown() + "\n";
  for (const ScenarioScores& scenario : result.scenarios) text += ScenarioMarkdown(scenario);
  text.pop_back();
  return text;
}

}  // namespace sluice::evaluation

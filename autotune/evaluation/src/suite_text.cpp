#include <fmt/format.h>

#include "sluice/evaluation/suite_report.h"
#include "suite_words.h"
#include "text_table.h"

namespace sluice::evaluation {
namespace {

constexpr std::size_t kScenariosNamed = 6;

TextTable TableOf(const ScenarioScores& scenario) {
  std::vector<std::string> titles = {"controller"};
  for (const FigureId id : ShownFigures()) titles.emplace_back(FigureOf(id).title);
  titles.emplace_back("floors");
  TextTable table(std::move(titles));
  for (std::size_t c = 0; c < scenario.controllers.size(); ++c) {
    std::vector<std::string> cells = {scenario.controllers[c].controller};
    for (const FigureId id : ShownFigures()) {
      const auto spread = SpreadOf(id, scenario.controllers[c].seeds);
      cells.push_back(
          NumberText(spread ? std::optional(spread->median) : std::nullopt, FigureOf(id).decimals));
    }
    cells.push_back(FloorsText(HoldTo(scenario, c)));
    table.Add(std::move(cells));
  }
  return table;
}

std::string ScenarioText(const ScenarioScores& scenario) {
  return fmt::format("{}: {}\n  {}; {:.4g} cores, {:.4g} s\n{}\n", NameOf(scenario),
                     scenario.scenario.summary, OptimaText(scenario), scenario.scenario.machine.cores,
                     Seconds(scenario.scenario.duration), TableOf(scenario).Text());
}

std::string StandingsText(const std::vector<Standing>& standings) {
  TextTable table({"controller", "least loss", "exactly", "floors met"});
  for (const Standing& standing : standings) {
    table.Add({standing.controller, OfText(standing.lowest, standing.scenarios),
               OfText(standing.lowest_exactly, standing.scenarios), OfText(standing.met, standing.applied)});
  }
  return table.Text();
}

std::string MissesText(const std::vector<Standing>& standings) {
  std::string text;
  for (const Standing& standing : standings) {
    if (standing.missed.empty()) continue;
    text += "  " + standing.controller + "\n";
    for (const MissedFloor& missed : standing.missed) {
      text += "    " + MissedText(missed, kScenariosNamed) + "\n";
    }
  }
  return text.empty() ? "" : "\nFloors missed\n" + text;
}

}  // namespace

std::string SuiteText(const SuiteResult& result) {
  std::string text;
  for (const ScenarioScores& scenario : result.scenarios) text += ScenarioText(scenario);
  const std::vector<Standing> standings = Standings(result);
  text += CountsText(result) + "\n";
  return text + StandingsText(standings) + MissesText(standings);
}

}  // namespace sluice::evaluation

#include "sluice/evaluation/standing.h"

#include <algorithm>

#include "sluice/evaluation/controllers.h"

namespace sluice::evaluation {
namespace {

void CountFloors(const SuiteResult& result, std::size_t controller, Standing& standing) {
  for (const Floor& floor : Floors()) standing.missed.push_back({std::string(floor.name), {}});
  for (const ScenarioScores& scenario : result.scenarios) {
    const std::vector<Held> held = HoldTo(scenario, controller);
    for (std::size_t f = 0; f < held.size(); ++f) {
      standing.applied += held[f] == Held::kMet || held[f] == Held::kMissed ? 1 : 0;
      standing.met += held[f] == Held::kMet ? 1 : 0;
      if (held[f] == Held::kMissed) standing.missed[f].scenarios.push_back(NameOf(scenario));
    }
  }
}

// Of the whole suite, and no matter for the oracle, which does not compete.
void CountLowest(const SuiteResult& result, std::size_t controller, Standing& standing) {
  MissedFloor lowest{std::string(LowestFloor().name), {}};
  for (const ScenarioScores& scenario : result.scenarios) {
    const bool least = LosesLeast(scenario, controller);
    standing.lowest += least ? 1 : 0;
    standing.lowest_exactly += LosesLeastExactly(scenario, controller) ? 1 : 0;
    if (least) continue;
    lowest.scenarios.push_back(NameOf(scenario));
    standing.most_over_least = std::max(standing.most_over_least, LossOverLeast(scenario, controller));
  }
  if (standing.controller == kOracle) return;
  ++standing.applied;
  const bool met =
      standing.lowest >= kLowestIn * standing.scenarios && standing.most_over_least <= kMostOverLeast;
  standing.met += met ? 1 : 0;
  if (!met) standing.missed.push_back(std::move(lowest));
}

Standing StandingOf(const SuiteResult& result, std::size_t controller) {
  Standing standing;
  standing.controller = result.scenarios.front().controllers[controller].controller;
  standing.scenarios = static_cast<int>(result.scenarios.size());
  CountFloors(result, controller, standing);
  CountLowest(result, controller, standing);
  std::erase_if(standing.missed, [](const MissedFloor& missed) { return missed.scenarios.empty(); });
  return standing;
}

}  // namespace

std::vector<Standing> Standings(const SuiteResult& result) {
  std::vector<Standing> standings;
  if (result.scenarios.empty()) return standings;
  for (std::size_t c = 0; c < result.scenarios.front().controllers.size(); ++c) {
    standings.push_back(StandingOf(result, c));
  }
  return standings;
}

}  // namespace sluice::evaluation

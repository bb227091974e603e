// Scores written down by hand, and suites made of them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "evaluation/written_runs.h"
#include "sluice/evaluation/suite.h"

namespace sluice::evaluation::testing {

// A run that meets every floor: 120 s, of which 1 is lost.
inline Scores Good() {
  Scores scores;
  scores.final_share = 0.99;
  scores.t95 = Reached{2, 150, 2};
  scores.lost = 1;
  scores.seconds = 120;
  scores.memory_share = 0.5;
  scores.core_waste = 0.02;
  scores.steadiness = Steadiness{0.5, 0.01, 0};
  scores.worst_window = 1.2;
  scores.threads = 0.5;
  scores.over_untouched = 2;
  scores.over_best = 1;
  scores.names_limit = true;
  scores.diagnosed = 0.98;
  return scores;
}

inline Scores Losing(double seconds) {
  Scores scores = Good();
  scores.lost = seconds;
  return scores;
}

inline ScenarioScores Met(const std::vector<std::pair<std::string, std::vector<Scores>>>& controllers,
                          const std::vector<WrittenEvent>& events = {}) {
  ScenarioScores scenario;
  scenario.scenario = Work(events);
  scenario.scenario.summary = "One op that works.";
  scenario.optima = simulator::Optima(scenario.scenario);
  for (const auto& [name, seeds] : controllers) scenario.controllers.push_back({name, seeds});
  return scenario;
}

}  // namespace sluice::evaluation::testing

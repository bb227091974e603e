// Suite: controllers before scenarios, several starts and seeds each, on several threads. The result does not
// depend on the number of threads. Only scores are kept; a run is forgotten once it has been scored.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/evaluation/scores.h"
#include "sluice/evaluation/starts.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {

struct ControllerScores {
  std::string controller;
  std::vector<Scores> seeds;
};

// Of one scenario from one start.
struct ScenarioScores {
  simulator::SimScenario scenario;  // as it was begun
  std::vector<simulator::Optimum> optima;
  std::vector<ControllerScores> controllers;  // as in SuiteOptions
  std::vector<Scores> oracle;                 // per seed, whether it is one of the controllers or not
  std::string start{kAsInFile};
};
// "gil"; "gil@cores" where it was not begun as its file has it.
[[nodiscard]] std::string NameOf(const ScenarioScores& scores);

struct SuiteOptions {
  std::vector<simulator::SimScenario> scenarios;   // REQUIRES Validate of each
  std::vector<std::string> controllers;            // names of controllers.h
  int seeds = 5;                                   // the scenario's own and those that follow it; at least 1
  int threads = 1;                                 // at least 1
  std::vector<Start> starts = {Starts().front()};  // at least one
  // What is known from an earlier time, of these controllers and seeds: not run again.
  std::vector<ScenarioScores> known{};
};

struct SuiteResult {
  int seeds = 0;
  std::vector<ScenarioScores> scenarios;  // as in SuiteOptions, and of each its starts
};

// Called after all controllers have met one scenario from one start with one seed, from any thread, one call
// at a time. `name`: NameOf.
using SuiteProgress = std::function<void(std::size_t done, std::size_t all, const std::string& name)>;
// The same, after all seeds of one scenario from one start; over_best is not known yet.
using SuiteFinished = std::function<void(const ScenarioScores& scores)>;

// Fails on an unknown controller, before anything runs.
[[nodiscard]] Result<SuiteResult> RunSuite(const SuiteOptions& options,
                                           const SuiteProgress& progress = nullptr,
                                           const SuiteFinished& finished = nullptr);

}  // namespace sluice::evaluation

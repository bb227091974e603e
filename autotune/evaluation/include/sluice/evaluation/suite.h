// Suite: controllers before scenarios, several seeds each, on several threads. The result does not depend on
// the number of threads. Only scores are kept; a run is forgotten once it has been scored.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/evaluation/scores.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {

struct SuiteOptions {
  std::vector<simulator::SimScenario> scenarios;  // REQUIRES Validate of each
  std::vector<std::string> controllers;           // names of controllers.h
  int seeds = 5;                                  // the scenario's own and those that follow it; at least 1
  int threads = 1;                                // at least 1
};

struct ControllerScores {
  std::string controller;
  std::vector<Scores> seeds;
};

struct ScenarioScores {
  simulator::SimScenario scenario;
  std::vector<simulator::Optimum> optima;
  std::vector<ControllerScores> controllers;  // as in SuiteOptions
};

struct SuiteResult {
  int seeds = 0;
  std::vector<ScenarioScores> scenarios;  // as in SuiteOptions
};

// Called after all controllers have met one scenario with one seed, from any thread, one call at a time.
using SuiteProgress =
    std::function<void(std::size_t done, std::size_t all, const simulator::SimScenario& scenario)>;

// Fails on an unknown controller, before anything runs.
[[nodiscard]] Result<SuiteResult> RunSuite(const SuiteOptions& options,
                                           const SuiteProgress& progress = nullptr);

}  // namespace sluice::evaluation

// Standing: how a controller does over all scenarios of a suite, and where it misses what. Immutable.
#pragma once
#include <string>
#include <vector>

#include "sluice/evaluation/floors.h"
#include "sluice/evaluation/suite.h"

namespace sluice::evaluation {

struct MissedFloor {
  std::string floor;                   // its name
  std::vector<std::string> scenarios;  // in which
};

struct Standing {
  std::string controller;
  int scenarios = 0;
  int lowest = 0;          // scenarios in which it loses the least, within LossTolerance
  int lowest_exactly = 0;  // without a tolerance; ties count for each
  double most_over_least =
      1;        // in the other scenarios: the greatest loss over the least there (LossOverLeast)
  int met = 0;  // floors, summed over the scenarios
  int applied = 0;
  std::vector<MissedFloor> missed;  // in the order of Floors(), those missed at all; LowestFloor() last
};

// In the order of the suite's controllers.
[[nodiscard]] std::vector<Standing> Standings(const SuiteResult& result);

}  // namespace sluice::evaluation

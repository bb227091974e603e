// Totals: how one controller does over all runs of a suite, and over those of one kind: from one start, of
// one class of random scenarios. Immutable functions.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "sluice/evaluation/suite.h"

namespace sluice::evaluation {

// A run is one scenario from one start with one seed.
struct Totals {
  std::string group;                       // "all", "from cores", "large-rows"
  int scenarios = 0;                       // from each start
  int floors_met = 0, floors_applied = 0;  // of those that somebody meets there
  int floors_out_of_reach = 0;
  int least = 0;               // scenarios in which it loses the least, within LossTolerance
  double most_over_least = 1;  // in the others
  int runs = 0;
  int near_best = 0, compared = 0;  // runs that end at 0.97 of the best that is reached there or above; of
  int below_start = 0;              // runs that end below 0.9 of the untouched one
  int over_memory = 0;              // runs that were killed, or held more than they were given
  int named = 0, naming = 0;        // runs in which 0.95 of the verdicts are right; of
  int restless = 0;  // runs with more than one decision per minute once there is nothing to find
  int crowded = 0;   // runs that plan too many threads
  int harmed = 0, high_starts = 0;  // runs with a window below 0.97 of the start's own; of those that begin
                                    // with the optimum's workers or more
};

// All first, then each start where there are several, then each class by name. REQUIRES controller < those of
// each.
[[nodiscard]] std::vector<Totals> TotalsOf(const SuiteResult& result, std::size_t controller);

// What random scenarios are: the words behind the colon of "Made at random from seed 7: chain, demand.".
[[nodiscard]] std::vector<std::string> ClassesOf(const simulator::SimScenario& scenario);

struct TotalRow {
  std::string_view title;  // "final >= 0.97 of the best"
  std::string_view head;   // of a column: "of best"
  std::string_view wants;
  std::string (*text)(const Totals& totals);
  bool (*met)(const Totals& totals);
};
// What is wanted of totals over random scenarios from all starts. Static storage.
[[nodiscard]] std::span<const TotalRow> TotalRows();

}  // namespace sluice::evaluation

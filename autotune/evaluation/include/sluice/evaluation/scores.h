// Scores: how good a run was, in the figures R1 to R8. docs/evaluation.md has each formula with its reasons.
//
// Throughput X is measured in windows of at least 1 s and 50 consumer items (whole epochs where the consumer
// pauses between them), and compared with the optimum X*(t) of optimum.h. A stretch is the time between two
// events of the scenario. A stretch has been reached from the first window on from which X stays at 0.95 X*.
// Missing: the run has nothing to measure it by.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/evaluation/run_record.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {

// When a stretch was reached, counted from its start.
struct Reached {
  double seconds = 0;
  double items = 0;  // consumer items until then
  int changes = 0;   // decisions until then
};

// What is only known of the time after a stretch has been reached.
struct Steadiness {
  double changes_per_minute = 0;     // R5, decisions
  double excess_sd = 0;              // R5, sd of X / X* beyond that of the plant itself
  double false_alarms_per_hour = 0;  // R6, changes after half a minute of quiet, though nothing had happened
};

// R5 where nothing is asked of throughput: from when a stretch was reached, else in its second half.
struct Restlessness {
  double decisions_per_minute = 0;
  double knobs_per_minute = 0;  // that these decisions changed
};

struct Scores {
  double final_share = 0;              // X / X* in the second half of the last stretch
  std::optional<Reached> t95;          // R1, first stretch; missing: never
  double lost = 0;                     // R2, oracle-seconds: integral of 1 - X / X*
  double seconds = 0;                  // that the run took
  std::optional<double> memory_share;  // R3, greatest buffered bytes over the budget; missing: no budget
  int ooms = 0;                        // R3
  double core_waste = 0;               // R4, integral of cores used beyond the optimum's, over the optimum's
  std::optional<Steadiness> steadiness;  // R5, R6; missing: no stretch was reached
  Restlessness restless;                 // R5
  bool cycles = false;                   // R5, a setting came back more than twice
  int shifts = 0;                        // R6, events that the run lived to see
  std::optional<Reached> shift;          // R6, the slowest stretch after an event; missing: one never was
  double worst_window = 1;               // R7, worst window over the start setting's worst, worst stretch
  bool worse_than_start = false;         // R7, at the end
  bool names_limit = false;              // R8, the controller has named one at least once
  double threads = 0;                    // workers planned, over the most that are reasonable there
  bool starts_high = false;              // every op begins with as many workers as the optimum has, or more
  std::optional<double>
      over_untouched;               // final share over the untouched run's; missing: that one makes nothing
  std::optional<double> over_best;  // final share over the best that any run of the suite has reached there
                                    // within its memory; missing: not compared yet (NoteBest)
  double noise = 0;                 // standard error of the oracle's final share
  std::optional<double> diagnosed;  // R8, share of the time after t95 in which it named the true limit;
                                    // missing: no stretch was reached, or it never names one
};

// What a run is compared with, made once per scenario and seed.
struct Yardstick {
  std::vector<simulator::Optimum> optima;
  RunRecord untouched;  // the start setting, left alone
  RunRecord reachable;  // the oracle's
};
// `optima`: ReachableOptima(scenario).
[[nodiscard]] Yardstick MakeYardstick(const simulator::SimScenario& scenario,
                                      std::vector<simulator::Optimum> optima, std::uint64_t seed);

// REQUIRES a record and a yardstick of the same scenario and seed, and Validate(scenario).
[[nodiscard]] Scores Score(const simulator::SimScenario& scenario, const RunRecord& run,
                           const Yardstick& yardstick);

// The most workers of all ops that a run may plan beside the oracle's.
[[nodiscard]] double ReasonableThreads(int of_oracle);

// Fills over_best in scores of one scenario and seed, from all its starts and of all controllers.
void NoteBest(const std::vector<Scores*>& scores);

}  // namespace sluice::evaluation

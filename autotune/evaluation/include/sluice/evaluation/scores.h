// Scores: how good a run was, in the figures R1 to R8 of docs/evaluation.md.
//
// Throughput X is measured in windows of at least 1 s and 50 consumer items (whole epochs where the consumer
// pauses between them), and compared with the optimum X*(t) of optimum.h. A stretch is the time between two
// events of the scenario. Missing: the run has nothing to measure it by.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/evaluation/run_record.h"
#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice {

// From when on X stays at 0.95 X* for ten windows, since the stretch's start.
struct Reached {
  double seconds = 0;
  double items = 0;  // consumer items until then
  int changes = 0;   // decisions until then
};

struct Scores {
  double final_share = 0;            // X / X* in the second half of the last stretch
  std::optional<Reached> t95;        // R1, first stretch; nullopt: never
  double lost = 0;                   // R2, oracle-seconds: integral of 1 - X / X*
  double seconds = 0;                // that the run took
  double memory_share = 0;           // R3, greatest buffered bytes over the budget
  int ooms = 0;                      // R3
  double core_waste = 0;             // R4, integral of cores used beyond the optimum's, over the optimum's
  double changes_per_minute = 0;     // R5, decisions after t95
  double excess_sd = 0;              // R5, sd of X / X* after t95 beyond that of the plant itself
  bool cycles = false;               // R5, a setting came back more than twice
  std::optional<Reached> shift;      // R6, the slowest stretch after an event
  bool shift_missed = false;         // R6, a stretch after an event never came back to 0.95
  double false_alarms_per_hour = 0;  // R6, changes after half a minute of quiet while nothing had happened
  double worst_share = 0;            // R7, worst window over the start setting's worst window
  bool worse_than_start = false;     // R7, at the end
  std::optional<double> diagnosed;   // R8, share of the time after t95 in which the true limit was named
};

// What a run is compared with, made once per scenario and seed.
struct Yardstick {
  std::vector<Optimum> optima;
  RunRecord untouched;  // the start setting, left alone
  RunRecord reachable;  // the oracle's
};
[[nodiscard]] Yardstick MakeYardstick(const SimScenario& scenario, std::uint64_t seed);

// REQUIRES a record and a yardstick of the same scenario and seed.
[[nodiscard]] Scores Score(const SimScenario& scenario, const RunRecord& run, const Yardstick& yardstick);

}  // namespace sluice

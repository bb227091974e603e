// Tallies: what a run record adds up to between two moments, in seconds since the start; `from` excluded,
// `to` included. Immutable functions.
#pragma once
#include "sluice/evaluation/run_record.h"
#include "stretches.h"

namespace sluice::evaluation {

[[nodiscard]] double ItemsBetween(const RunRecord& run, double from, double to);
// Standard deviation of the windows' shares around the mean of their setting: pooled over the times between
// two decisions. 0 where none has two windows.
[[nodiscard]] double DeviationBetweenDecisions(const RunRecord& run, const Stretch& stretch, double since);
[[nodiscard]] int ChangesBetween(const RunRecord& run, double from, double to);

// Knobs that these decisions changed.
[[nodiscard]] int KnobsBetween(const RunRecord& run, double from, double to);

// The workers of all ops that a run plans: those at its end, and after each decision that gives it more. What
// the start has is no plan: until an op's workers are changed for the first time no more of them count than
// `oracles`. REQUIRES one of these per op.
[[nodiscard]] int PlannedWorkers(const RunRecord& run, const std::vector<int>& oracles);

// X / X* over all of the stretch from the first tick after `from` on.
[[nodiscard]] double ShareFrom(const RunRecord& run, const Stretch& stretch, double from);

// Changes after half a minute without one, between `from` and `to`.
[[nodiscard]] int ChangesAfterQuiet(const RunRecord& run, double from, double to);

// Whether one setting of all knobs was put in force more than three times, the start included.
[[nodiscard]] bool Cycles(const RunRecord& run);

// Whether the limit that the controller named is the true one, or one of those that nobody can tell from it
// (Optimum::near), with its op where it is an op's. What no knob and no graph shows may be called by its
// effect: a cap by shards serial or contended as well, a lock that several ops share contention in any of
// them.
[[nodiscard]] bool Names(const RunTick& tick, const simulator::Optimum& optimum,
                         const simulator::SimScenario& scenario);

}  // namespace sluice::evaluation

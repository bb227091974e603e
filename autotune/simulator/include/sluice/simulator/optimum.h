// The oracle: the best that any controller could reach on a scenario, from the scenario's true costs.
//
//   X* = min( D,  W / sum_i V_i d_i,  n_i / (V_i s_i(n_i)) at the best allowed n_i of every op i,
//             storage at full speed / sum_i V_i q_i,  1 / sum of V_i d_i under one lock,  memory )
// X in consumer items per second, V visits per consumer item, d CPU seconds, s seconds in the op, q seconds
// of the storage. The fluid limit: exact for long runs with enough buffering, an upper bound otherwise.
// Sources: operational analysis (Denning, Buzen 1978); Little's law for the workers; universal scalability
// law for s(n). Where contention or memory couple the ops, the rate is found by bisection, with the workers
// of each op searched exhaustively. Pure functions; REQUIRE Validate(scenario).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/base/units.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

// What keeps a rate from being higher, and the op concerned, if it is one's.
struct Bound {
  Limit limit = Limit::kUnknown;
  std::optional<std::uint32_t> op;
};

struct Optimum {
  Nanos from{0};                    // since when it holds
  Rate rate;                        // of one rank, consumer items per second; infinite where nothing limits
  Limit limit = Limit::kUnknown;    // what keeps it from being higher
  std::optional<std::uint32_t> op;  // the op concerned
  std::vector<Bound> near{};        // all that keep it below 1.05 of the rate, in any phase
  std::vector<int> workers;         // the fewest per op that reach it
  double cores = 0;                 // the fewest of one rank that reach it; on average, so fractional
  Bytes bytes{0};                   // the fewest that one rank may have to hold
  // Items behind each op, where it was searched for: then these are the best workers and room that were
  // found. Empty: enough of them anywhere.
  std::vector<std::int64_t> capacity{};
};

// Workers of every op, and room behind it.
struct SimSetting {
  std::vector<int> workers;
  std::vector<std::int64_t> capacity;
};
// That reaches the optimum, as nearly as is known: what was searched for; else its workers, one more where
// that does no harm, and room for half a second of its items, less where the memory does not hold them.
[[nodiscard]] SimSetting SettingFor(const SimScenario& scenario, const Optimum& optimum);

// At time `at`. A concat has a phase per input: the rate is that of whole epochs, the limit and the cores
// those of the phase that takes longest, the workers the most of all phases.
[[nodiscard]] Optimum OptimumAt(const SimScenario& scenario, Nanos at);
// One per stretch between events, by time; the first from 0.
[[nodiscard]] std::vector<Optimum> Optima(const SimScenario& scenario);
// The same, as far as it can be reached. Where SettingFor makes less than the fluid limit, by more than the
// noise of measuring, a better one is searched for by simulating some hundred: items that leave in order
// behind heavy tails need room and spare workers, small buffers cost throughput, workers and buffers compete
// for bytes, and no formula tells how much. The rate is then what the best of them makes, and never more than
// the fluid limit. Takes a few seconds for each such stretch; where more than four differ, the others take
// over what these have found.
[[nodiscard]] std::vector<Optimum> ReachableOptima(const SimScenario& scenario);

// Items of every op that one consumer item needs, over whole epochs.
[[nodiscard]] std::vector<double> SimVisits(const SimScenario& scenario);
// Consumer items per epoch.
[[nodiscard]] double SimItems(const SimScenario& scenario);
// Mean bytes of an item of every op.
[[nodiscard]] std::vector<double> SimItemBytes(const SimScenario& scenario);

}  // namespace sluice::simulator

// Floors: what a controller is held to, figure by figure, as medians over the seeds. One table, here in code;
// docs/evaluation.md explains it. Immutable functions.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/evaluation/suite.h"

namespace sluice::evaluation {

struct Floor {
  std::string_view name;    // "final"
  std::string_view wants;   // "throughput >= 0.97 of the optimum's"
  std::string_view reason;  // why this figure, and why this much of it
};

// What holds per scenario. Static storage.
[[nodiscard]] std::span<const Floor> Floors();

// In what share of the scenarios our controller should lose the least, and how much more in the rest.
inline constexpr double kLowestIn = 0.9;
inline constexpr double kMostOverLeast = 1.5;
[[nodiscard]] const Floor& LowestFloor();

enum class Held : std::uint8_t {
  kMet,
  kMissed,
  kDoesNotApply,
  kOutOfReach,  // missed, but the oracle and all others that were run miss it there as well
};

// One per floor. REQUIRES controller < scenario.controllers.size().
[[nodiscard]] std::vector<Held> HoldTo(const ScenarioScores& scenario, std::size_t controller);

// By how much losses may differ and be called the same, in the unit of R2: a tick of the controller or 2 % of
// the run, whichever is more. A win by less is luck, and no reason to change a rule.
[[nodiscard]] double LossTolerance(const ControllerScores& scores);

// R2 over the least there; a least below the tolerance counts as that much. REQUIRES controller <
// scenario.controllers.size().
[[nodiscard]] double LossOverLeast(const ScenarioScores& scenario, std::size_t controller);

// Medians of R2. Neither the oracle nor a rule that misses the memory floor competes.
[[nodiscard]] double LeastLost(const ScenarioScores& scenario);
// Whether a controller that competes loses the least, within its tolerance and without one. REQUIRES
// controller < scenario.controllers.size().
[[nodiscard]] bool LosesLeast(const ScenarioScores& scenario, std::size_t controller);
[[nodiscard]] bool LosesLeastExactly(const ScenarioScores& scenario, std::size_t controller);

}  // namespace sluice::evaluation

// What is expected of a run that goes on with less of something: asks its control socket, else looks at it.
// Changes nothing.
#pragma once
#include <functional>
#include <vector>

#include "doctor/pressure_checks.h"
#include "sluice/autotune/controller.h"
#include "sluice/base/plant.h"
#include "steer/steering_client.h"

namespace sluice::app {

// In the order of `cuts`. Waits for each answer; after the first that does not come, none is waited for.
[[nodiscard]] std::vector<Foreseen> ForeseeCuts(const ControlRoad& road, const SteeredName& whom,
                                                const std::vector<Cut>& cuts);

// For those of `asked` that the run has not answered: what `model` makes of what is seen of the run from
// outside, over some seconds. `pause` comes before each look. Nothing of the run is changed.
[[nodiscard]] std::vector<Foreseen> ForeseeFromOutside(Plant& plant, autotune::Controller& model,
                                                       std::vector<Foreseen> asked,
                                                       const std::function<void()>& pause);
[[nodiscard]] bool AllForeseen(const std::vector<Foreseen>& foreseen);

// The pace of these looks.
inline constexpr Nanos kLookEvery = std::chrono::milliseconds(100);

}  // namespace sluice::app

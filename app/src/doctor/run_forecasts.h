// What a run that goes on expects of itself with less of something: asks its control socket, changes nothing.
#pragma once
#include <vector>

#include "doctor/pressure_checks.h"
#include "steer/steering_client.h"

namespace sluice::app {

// In the order of `cuts`. Waits for each answer; after the first that does not come, none is waited for.
[[nodiscard]] std::vector<Foreseen> ForeseeCuts(const ControlRoad& road, const SteeredName& whom,
                                                const std::vector<Cut>& cuts);

}  // namespace sluice::app

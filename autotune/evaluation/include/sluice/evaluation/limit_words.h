// What limits a run, in a few words and as a key for documents. Immutable functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/decision.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::evaluation {

// "the consumer", "op decode", "the serial op tokenize", "the core budget", ...; an op that the scenario does
// not have is "?".
[[nodiscard]] std::string LimitWords(Limit limit, std::optional<std::uint32_t> op,
                                     const simulator::SimScenario& scenario);

// "consumer", "op", "serial_op", "cores", "memory", "storage", "contention" or "unknown".
[[nodiscard]] std::string_view LimitKey(Limit limit);

}  // namespace sluice::evaluation

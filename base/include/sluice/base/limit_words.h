// What limits a run, as a name for documents and in a few words. Immutable functions.
#pragma once
#include <string>
#include <string_view>

#include "sluice/base/decision.h"

namespace sluice {

// "consumer", "op", "serial_op", "cores", "memory", "storage", "contention" or "unknown": what the result
// files and docs/verdicts.md call it.
[[nodiscard]] std::string_view LimitName(Limit limit);

// "the consumer", "op decode", "the serial op tokenize", "the core budget", ...; `op`: its name, empty where
// it is not known ("op ?").
[[nodiscard]] std::string LimitWords(Limit limit, std::string_view op);

}  // namespace sluice

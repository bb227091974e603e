// Everything in a description as text, one line per op, so that two can be compared and a difference read.
#pragma once
#include <string>

#include "sluice/runtime/scenario.h"

namespace sluice::runtime {

[[nodiscard]] std::string Text(const PipelineDescription& pipeline);
[[nodiscard]] std::string Text(const Scenario& scenario);

}  // namespace sluice::runtime

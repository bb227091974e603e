// How many cores a launcher says a process has been given. Slurm holds nobody to it by these words: where it
// does so by masks or control groups, those say it too. Immutable functions.
#pragma once
#include <string_view>
#include <vector>

#include "sluice/base/machine_limits.h"

namespace sluice::probes {

// From an environment as in /proc/<pid>/environ ("A=1\0B=2\0"). What Slurm would not write is no hint.
[[nodiscard]] std::vector<CoreHint> ParseCoreHints(std::string_view environment);

}  // namespace sluice::probes

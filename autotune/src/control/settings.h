// How patient the states are.
#pragma once
#include "sluice/base/units.h"

namespace sluice::autotune {

struct ControlSettings {
  int most_failures = 3;                          // trials undone in a row before resting
  Nanos explore_after = std::chrono::minutes(3);  // of quiet: a doubtful try can wait
  Nanos longest_rest = std::chrono::minutes(64);  // after it failures are forgotten: luck may have been bad
};

}  // namespace sluice::autotune

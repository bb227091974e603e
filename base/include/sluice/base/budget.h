// Budget: what may be spent by one run.
#pragma once
#include "sluice/base/units.h"

namespace sluice {

struct Budget {
  double cores = 1;  // affinity mask and cgroup quota, less what other ranks use; may be fractional
  Bytes memory{0};   // bytes that may be buffered between source and consumer; 0: unknown
  friend bool operator==(const Budget&, const Budget&) = default;
};

}  // namespace sluice

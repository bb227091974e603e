// How long SteadyVerdict waits.
#pragma once
#include "sluice/base/units.h"

namespace sluice::autotune {

struct ExplainSettings {
  Nanos verdict_lasts = std::chrono::seconds(2);  // a new verdict at rest that is gone sooner was noise
};

}  // namespace sluice::autotune

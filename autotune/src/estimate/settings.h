// How long Estimates remember, and how many items they need.
#pragma once
#include "sluice/base/units.h"

namespace sluice::autotune {

struct EstimateSettings {
  Nanos half_life = std::chrono::seconds(2);  // of sums: a shift is believed within seconds
  double memory_items = 30;                   // ... but never forget below this many items
  double first_items = 5;  // their mean is within a fifth or so, and the next move sees more
};

}  // namespace sluice::autotune

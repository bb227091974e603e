// AutoTune: the controller that Sluice ships. It estimates what every op costs, plans for the least that
// meets the consumer's demand, tries each plan as an experiment, and watches for change afterwards.
// docs/controller.md has the model, its formulas and their sources.
#pragma once
#include <memory>

#include "sluice/autotune/controller.h"
#include "sluice/base/units.h"

namespace sluice::autotune {

// What its user may choose; everything else it finds out.
struct AutoTuneOptions {
  // Say what should be changed, once each, and change nothing.
  bool advise = false;
  // The consumer counts as served while it waits for less of its time.
  Fraction served{0.01};
  // Before what did not pay is looked at again; twice as long each time, up to 64 minutes.
  Nanos rest = std::chrono::minutes(1);
};

[[nodiscard]] std::unique_ptr<Controller> MakeAutoTune(const AutoTuneOptions& options = {});

}  // namespace sluice::autotune

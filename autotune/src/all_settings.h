// AutoTuneSettings: every number of the controller that stands beside a class, by part, and what the user has
// chosen. The same values serve live and simulated plants; none depends on a pipeline. A class takes those of
// its own part where they are enough. Plain values.
#pragma once
#include "control/settings.h"
#include "estimate/settings.h"
#include "experiment/settings.h"
#include "explain/settings.h"
#include "model/settings.h"
#include "observe/settings.h"
#include "propose/settings.h"
#include "sluice/autotune/auto_tune.h"
#include "watch/settings.h"

namespace sluice::autotune {

struct AutoTuneSettings : AutoTuneOptions,
                          ObserveSettings,
                          EstimateSettings,
                          ModelSettings,
                          ProposeSettings,
                          ExperimentSettings,
                          WatchSettings,
                          ExplainSettings,
                          ControlSettings {
  AutoTuneSettings() = default;
  explicit AutoTuneSettings(const AutoTuneOptions& chosen) : AutoTuneOptions(chosen) {}
};

}  // namespace sluice::autotune

#include "control/auto_tune.h"
#include "sluice/autotune/auto_tune.h"

namespace sluice::autotune {

std::unique_ptr<Controller> MakeAutoTune(const AutoTuneOptions& options) {
  return std::make_unique<AutoTune>(AutoTuneSettings(options));
}

}  // namespace sluice::autotune

#include "control/auto_tune.h"
#include "sluice/autotune/auto_tune.h"

namespace sluice::autotune {

std::unique_ptr<Controller> MakeAutoTune(const AutoTuneSettings& settings) {
  return std::make_unique<AutoTune>(settings);
}

}  // namespace sluice::autotune

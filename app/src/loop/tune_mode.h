// TuneMode: what the controller of a run may do.
#pragma once
#include <cstdint>
#include <memory>

#include "sluice/autotune/controller.h"
#include "sluice/exporters/exposition.h"

namespace sluice::app {

enum class TuneMode : std::uint8_t { kTune, kAdvise, kOff };

// With tuning off it still says what limits the run, but none of its decisions is seen.
[[nodiscard]] std::unique_ptr<autotune::Controller> MakeController(TuneMode mode);

[[nodiscard]] const char* ModeText(TuneMode mode);        // "tuning", "advising", "not tuning"
[[nodiscard]] exporters::Tuning TuningOf(TuneMode mode);  // the same for metrics

}  // namespace sluice::app

// `sluice run`: one scenario, from its file to the report.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/control_options.h"
#include "loop/flight_recorder.h"
#include "loop/metrics_outlet.h"
#include "loop/recording.h"
#include "loop/tune_mode.h"

namespace sluice::app {

struct RunOptions {
  std::string scenario;
  TuneMode mode = TuneMode::kTune;
  std::vector<std::string> set, pin, bound;  // knob options, as typed
  std::optional<double> cores;
  std::string near;              // a device, as typed; empty: not given
  std::string memory, duration;  // with unit, as typed; empty: not given
  std::optional<std::uint64_t> epochs, rows, seed;
  std::string json;         // file for the whole result
  std::string failed_rows;  // file that names the rows that fail
  MetricsOptions metrics;
  RecordOptions record;
  FlightOptions flight;
  std::string load;  // tuned.toml whose settings the run begins with
  ControlOptions control;
  bool plain = false;  // plain lines even on a terminal
  bool quiet = false;  // the report only
};

// Returns the exit status.
[[nodiscard]] int RunScenario(const RunOptions& options);

}  // namespace sluice::app

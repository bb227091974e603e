// `sluice wrap`: a command that exists already, run so that nobody notices, measured from outside and, where
// it is a Python process with PyTorch, tuned from inside.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "control/control_options.h"
#include "loaders/progress_line.h"
#include "loop/flight_recorder.h"
#include "loop/metrics_outlet.h"
#include "loop/recording.h"
#include "loop/tune_mode.h"

namespace sluice::app {

struct WrapOptions {
  std::vector<std::string> command;
  TuneMode mode = TuneMode::kTune;
  std::string repro;   // order, strict, free; empty: what the environment says
  std::string memory;  // with unit, as typed; empty: not given
  std::optional<double> cores;
  std::string place;         // as typed, see WhereOn; empty: anywhere
  std::string near;          // a device, as typed; empty: not given
  std::string report, json;  // files for what is told at the end
  std::string save, load;    // files with what was found
  MetricsOptions metrics;
  RecordOptions record;
  FlightOptions flight;
  ControlOptions control;
  bool tune_threads = false;
  bool exec = false;     // this process becomes the command
  bool dry_run = false;  // only say what would be done
  bool quiet = false;    // no report
  Progress progress = Progress::kWhereQuiet;
};

// Returns the exit status, or ends this process as the command has ended.
[[nodiscard]] int WrapCommand(const WrapOptions& options);

}  // namespace sluice::app

// HostAgent: watches the telemetry segments of one wrapped run, tunes each loader in them, and shares out the
// host's cores and bytes among them. The processes of the run are never touched but through their knobs.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loaders/progress_line.h"
#include "loop/flight_recorder.h"
#include "loop/metrics_outlet.h"
#include "loop/recording.h"
#include "loop/tune_mode.h"
#include "sluice/base/units.h"
#include "sluice/exporters/control_server.h"
#include "sluice/exporters/loader_report.h"

namespace sluice::app {

struct HostAgentOptions {
  std::filesystem::path folder;  // where the run's segments appear
  std::string run_id;            // of the segments that are ours
  TuneMode mode = TuneMode::kTune;
  std::optional<double> cores;  // default: what the machine grants
  std::string near;             // a device that the batches are for; empty: the GPUs, see ReadMachineMap
  std::optional<Bytes> memory;  // of trainers and workers, as PSS; default: half of what is free
  std::string save, load;       // files with what was found; empty: none
  bool tune_threads = false;    // library threads of new workers too
  Progress progress = Progress::kNever;
  MetricsOptions metrics;
  bool quiet = false;  // do not say where
  RecordOptions record;
  FlightOptions flight;
  bool control = true;                         // a socket for those who steer ...
  std::optional<exporters::ControlDoor> door;  // ... and what more of the kind
  std::string command;                         // in one line, for the recording
};

// Start() and Stop() from one thread; everything else happens on a thread of its own.
class HostAgent {
 public:
  explicit HostAgent(HostAgentOptions options);
  ~HostAgent();  // stops
  HostAgent(const HostAgent&) = delete;
  HostAgent& operator=(const HostAgent&) = delete;

  void Start();
  void Stop();  // after a last look; the files are written then

  // After Stop(): lets the last metrics be scraped where somebody scrapes, and takes their server out of the
  // list of targets.
  void EndMetrics(bool wait);

  // What is known of each loader, after Stop().
  [[nodiscard]] std::vector<exporters::LoaderReport> Reports() const;

 private:
  class Watcher;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace sluice::app

// MetricsOutlet: where a run tells its metrics, and when. One thread (the agent's).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "loop/tune_mode.h"
#include "sluice/base/error.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/metrics_server.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::app {

// As on the command line; empty: not given.
struct MetricsOptions {
  std::string address;       // HOST:PORT that serves them
  std::string web_config;    // file that says who may ask
  std::string targets;       // file for Prometheus' file_sd that names the server
  std::string linger;        // with unit: how long the server may outlive the run
  std::string textfile;      // for node_exporter's textfile collector
  bool per_process = false;  // each process is a target of its own
  std::size_t workers = 0;   // how many of each pipeline have series of their own; 0: none
};

// Whether these may be asked for; opens nothing. Errors name the option.
[[nodiscard]] Result<void> CheckMetrics(const MetricsOptions& options);

// `mode`: nullopt, nobody tunes. `cpu`: that the agent has taken.
[[nodiscard]] exporters::AgentFigures FiguresOfAgent(std::optional<TuneMode> mode, std::optional<Nanos> cpu);

// What `reader` tells of workers, as of `now`; nullopt: the options ask for none.
[[nodiscard]] std::optional<exporters::WorkerSeries> WorkersOf(const probes::SegmentReader& reader,
                                                               const Snapshot& now,
                                                               const MetricsOptions& options);

class MetricsOutlet {
 public:
  // nullptr where nothing is asked for. Errors name the option.
  [[nodiscard]] static Result<std::unique_ptr<MetricsOutlet>> Open(const MetricsOptions& options);
  ~MetricsOutlet();  // takes the server out of the file of targets
  MetricsOutlet(const MetricsOutlet&) = delete;
  MetricsOutlet& operator=(const MetricsOutlet&) = delete;

  // Says where they are, and what is odd about it, on standard error.
  void Announce();
  // Once a second.
  [[nodiscard]] bool Due(MonoTime now) const;
  // Writes the file of targets, too, at the first call and where they have changed.
  void Publish(MonoTime now, const exporters::RunIdentity& run, exporters::Exposition exposition);
  // After the last Publish(): writes the textfile, waits for those who scrape to have it too, where `wait`
  // and until `given_up`, and takes the server out of the file of targets.
  void End(bool wait, const std::function<bool()>& given_up = {});

 private:
  explicit MetricsOutlet(const MetricsOptions& options) : options_(options) {}
  void WriteTargets(const std::string& run_id);
  void WriteText();
  void LetBeScraped(const std::function<bool()>& given_up);
  void Withdraw();

  const MetricsOptions options_;
  std::unique_ptr<exporters::MetricsServer> server_;  // nullptr: only a file
  std::optional<MonoTime> published_, written_;
  std::optional<exporters::Exposition> unwritten_;  // what the textfile is to have next
  std::string targets_;                             // what the file of targets has; empty: nothing of ours
  bool announced_ = false;
  bool warned_ = false;  // that the textfile cannot be written
};

}  // namespace sluice::app

// MetricsOutlet: where a run tells its metrics, and when. One thread (the agent's).
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "loop/tune_mode.h"
#include "sluice/base/error.h"
#include "sluice/exporters/exposition.h"
#include "sluice/exporters/metrics_server.h"

namespace sluice::app {

// As on the command line; empty: not given.
struct MetricsOptions {
  std::string address;     // HOST:PORT that serves them
  std::string web_config;  // file that says who may ask
};

// Whether these may be asked for; opens nothing. Errors name the option.
[[nodiscard]] Result<void> CheckMetrics(const MetricsOptions& options);

// `cpu`: that the agent has taken.
[[nodiscard]] exporters::AgentFigures FiguresOfAgent(TuneMode mode, Nanos cpu);

class MetricsOutlet {
 public:
  // nullptr where nothing is asked for. Errors name the option.
  [[nodiscard]] static Result<std::unique_ptr<MetricsOutlet>> Open(const MetricsOptions& options);

  // Says where they are, and what is odd about it, on standard error.
  void Announce() const;
  // Once a second.
  [[nodiscard]] bool Due(MonoTime now) const;
  void Publish(MonoTime now, exporters::Exposition exposition);

 private:
  explicit MetricsOutlet(std::unique_ptr<exporters::MetricsServer> server) : server_(std::move(server)) {}

  std::unique_ptr<exporters::MetricsServer> server_;
  std::optional<MonoTime> published_;
};

}  // namespace sluice::app

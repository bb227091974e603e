#include "loop/metrics_outlet.h"

#include <utility>

#include "result/results.h"
#include "sluice/probes/shared_memory.h"

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kPublish{1};

}  // namespace

Result<void> CheckMetrics(const MetricsOptions& options) {
  if (options.address.empty() && options.web_config.empty()) return {};
  if (options.address.empty())
    return Fail("--web.config.file says how metrics are served; say where with --metrics HOST:PORT");
  if (const auto valid = exporters::MetricsServer::Check(options.address, options.web_config); !valid)
    return Fail("--metrics: " + valid.error().message);
  return {};
}

exporters::AgentFigures FiguresOfAgent(TuneMode mode, Nanos cpu) {
  exporters::AgentFigures figures{.tuning = TuningOf(mode), .cpu = cpu};
  if (const auto memory = probes::ReadSharedMemory()) {
    figures.shared_memory_size = memory->size;
    figures.shared_memory_free = memory->free;
  }
  return figures;
}

Result<std::unique_ptr<MetricsOutlet>> MetricsOutlet::Open(const MetricsOptions& options) {
  if (const auto valid = CheckMetrics(options); !valid) return std::unexpected(valid.error());
  if (options.address.empty()) return nullptr;
  auto server = exporters::MetricsServer::Start(options.address, options.web_config);
  if (!server) return Fail("--metrics: " + server.error().message);
  return std::unique_ptr<MetricsOutlet>(new MetricsOutlet(std::move(*server)));
}

void MetricsOutlet::Announce() const {
  for (const std::string& warning : server_->warnings()) Warn(warning);
  Warn("metrics at " + server_->url());
}

bool MetricsOutlet::Due(MonoTime now) const {
  return !published_ || now - *published_ >= Nanos(kPublish);
}

void MetricsOutlet::Publish(MonoTime now, exporters::Exposition exposition) {
  published_ = now;
  server_->Publish(std::move(exposition));
}

}  // namespace sluice::app

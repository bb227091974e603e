#include "loop/metrics_outlet.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "result/results.h"
#include "sluice/base/text.h"
#include "sluice/exporters/metrics_text.h"
#include "sluice/exporters/write_file.h"
#include "sluice/probes/shared_memory.h"

namespace sluice::app {
namespace {

constexpr std::chrono::seconds kPublish{1};
constexpr std::chrono::seconds kWriteText{5};  // collectors look every fifteen seconds or so
constexpr std::chrono::seconds kLinger{30};
constexpr std::chrono::seconds kUnnoticed{2};

Result<void> CheckServer(const MetricsOptions& options) {
  const std::pair<const char*, bool> of_a_server[] = {{"--web.config.file", !options.web_config.empty()},
                                                      {"--metrics-targets", !options.targets.empty()},
                                                      {"--metrics-linger", !options.linger.empty()},
                                                      {"--metrics-per-process", options.per_process}};
  for (const auto& [option, given] : of_a_server) {
    if (options.address.empty() && given)
      return Fail(fmt::format("{} is about a server; say where it is with --metrics HOST:PORT", option));
  }
  if (options.address.empty()) return {};
  if (const auto valid = exporters::MetricsServer::Check(options.address, options.web_config); !valid)
    return Fail("--metrics: " + valid.error().message);
  return {};
}

Result<Nanos> LingerOf(const MetricsOptions& options) {
  if (options.linger.empty()) return Nanos(kLinger);
  const auto time = ParseDuration(options.linger);
  return time ? time : Fail("--metrics-linger: " + time.error().message);
}

std::string Contents(const std::string& path) {
  const std::ifstream file(path);
  return (std::ostringstream() << file.rdbuf()).str();
}

}  // namespace

Result<void> CheckMetrics(const MetricsOptions& options) {
  if (const auto valid = CheckServer(options); !valid) return valid;
  if (const auto linger = LingerOf(options); !linger) return std::unexpected(linger.error());
  if (options.workers > 0 && options.address.empty() && options.textfile.empty())
    return Fail(
        "--metrics-workers is about metrics; say where they are with --metrics HOST:PORT or "
        "--metrics-textfile FILE.prom");
  if (const auto can = CanBeWritten("--metrics-targets", options.targets); !can) return can;
  if (!options.textfile.empty() && !options.textfile.ends_with(".prom"))
    return Fail(
        fmt::format("--metrics-textfile: collectors read *.prom only; name it {}.prom", options.textfile));
  return CanBeWritten("--metrics-textfile", options.textfile);
}

exporters::AgentFigures FiguresOfAgent(std::optional<TuneMode> mode, std::optional<Nanos> cpu) {
  exporters::AgentFigures figures{.tuning = {}, .cpu = cpu};
  if (mode) figures.tuning = TuningOf(*mode);
  if (const auto memory = probes::ReadSharedMemory()) {
    figures.shared_memory_size = memory->size;
    figures.shared_memory_free = memory->free;
  }
  return figures;
}

std::optional<exporters::WorkerSeries> WorkersOf(const probes::SegmentReader& reader, const Snapshot& now,
                                                 const MetricsOptions& options) {
  if (options.workers == 0) return std::nullopt;
  return exporters::WorkerSeries{.all = reader.Workers(now.at), .most = options.workers};
}

Result<std::unique_ptr<MetricsOutlet>> MetricsOutlet::Open(const MetricsOptions& options) {
  if (const auto valid = CheckMetrics(options); !valid) return std::unexpected(valid.error());
  if (options.address.empty() && options.textfile.empty()) return nullptr;
  std::unique_ptr<MetricsOutlet> outlet(new MetricsOutlet(options));
  if (options.address.empty()) return outlet;
  auto server = exporters::MetricsServer::Start(options.address, options.web_config);
  if (!server) return Fail("--metrics: " + server.error().message);
  outlet->server_ = std::move(*server);
  return outlet;
}

MetricsOutlet::~MetricsOutlet() {
  Withdraw();
}

void MetricsOutlet::Announce() {
  if (server_ == nullptr) return;
  announced_ = true;
  for (const std::string& warning : server_->warnings()) Warn(warning);
  Warn("metrics at " + server_->url());
}

bool MetricsOutlet::Due(MonoTime now) const {
  return !published_ || now - *published_ >= Nanos(kPublish);
}

void MetricsOutlet::Publish(MonoTime now, const exporters::RunIdentity& run,
                            exporters::Exposition exposition) {
  published_ = now;
  if (!options_.textfile.empty()) unwritten_ = exposition;
  if (server_ != nullptr) {
    for (const std::string& news : server_->TakeNews()) Warn(news);
    server_->Publish(std::move(exposition));
    WriteTargets(run.run_id);
  }
  if (written_ && now - *written_ < Nanos(kWriteText)) return;
  written_ = now;
  WriteText();
}

void MetricsOutlet::WriteTargets(const std::string& run_id) {
  std::string targets = server_->Describe(run_id, options_.per_process);
  if (targets == targets_) return;
  targets_ = std::move(targets);
  if (options_.targets.empty()) return;
  if (const auto written = exporters::WriteFile(options_.targets, targets_); !written) {
    Warn(written.error().message);
  }
}

void MetricsOutlet::WriteText() {
  if (!unwritten_) return;
  const auto written = exporters::WriteFile(
      options_.textfile, exporters::MetricsText(*unwritten_, exporters::MetricsFormat::kText));
  unwritten_.reset();
  if (!written && !std::exchange(warned_, true)) Warn(written.error().message);
}

void MetricsOutlet::LetBeScraped(const std::function<bool()>& given_up) {
  const Nanos most = LingerOf(options_).value_or(Nanos(0));
  const auto due = server_->ScrapeDue(most);
  if (announced_ && due && *due > kUnnoticed)
    Warn(fmt::format("up to {:.0f} s for the last scrape of the metrics (--metrics-linger)", Seconds(*due)));
  server_->AwaitScrape(most, given_up);
}

void MetricsOutlet::End(bool wait, const std::function<bool()>& given_up) {
  WriteText();
  if (wait && server_ != nullptr) LetBeScraped(given_up);
  Withdraw();
}

// What somebody else has written there since is theirs.
void MetricsOutlet::Withdraw() {
  if (!options_.targets.empty() && !targets_.empty() && Contents(options_.targets) == targets_)
    unlink(options_.targets.c_str());
  targets_.clear();
}

}  // namespace sluice::app

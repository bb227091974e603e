#include "cli/metrics_options.h"

#include "cli/checks.h"

namespace sluice::app {
namespace {

constexpr std::uint64_t kMostWorkers = 10'000;  // four series each: more are a slip of the hand

}  // namespace

void AddMetrics(CLI::App& verb, MetricsOptions& options, const std::string& whose) {
  verb.add_option("--metrics", options.address, "Serve " + whose + ", e.g. 127.0.0.1:9464 (port 0: any)")
      ->type_name("HOST:PORT");
  verb.add_option("--web.config.file", options.web_config,
                  "TLS, passwords and headers of that server, as the exporter-toolkit has them")
      ->type_name("FILE");
  verb.add_option("--metrics-targets", options.targets, "Name that server in FILE for Prometheus' file_sd")
      ->type_name("FILE");
  verb.add_option("--metrics-linger", options.linger,
                  "How long it may wait at the end for the last scrape, if there were any (default: 30s)")
      ->type_name("TIME");
  verb.add_option("--metrics-textfile", options.textfile,
                  "Write metrics to FILE.prom, for node_exporter's textfile collector")
      ->type_name("FILE");
  verb.add_option("--metrics-workers", options.workers,
                  "Series for each worker too, of the first N of a pipeline (default: none)")
      ->type_name("N")
      ->check(Whole(1, kMostWorkers));
}

void AddControl(CLI::App& verb, ControlOptions& options) {
  verb.add_flag("--no-control", options.none, "No socket to watch and steer the run by");
  verb.add_option(
          "--listen", options.listen,
          "Let other machines watch and steer the run as well; needs --token-file, and is not encrypted")
      ->type_name("HOST:PORT");
  verb.add_option("--token-file", options.token_file,
                  "What they have to show: the first line of FILE, which only you can read")
      ->type_name("FILE");
}

}  // namespace sluice::app

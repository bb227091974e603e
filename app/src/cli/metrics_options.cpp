#include "cli/metrics_options.h"

namespace sluice::app {

void AddMetrics(CLI::App& verb, MetricsOptions& options, const std::string& whose) {
  verb.add_option("--metrics", options.address, "Serve " + whose + ", e.g. 127.0.0.1:9464 (port 0: any)")
      ->type_name("HOST:PORT");
  verb.add_option("--web.config.file", options.web_config,
                  "TLS, passwords and headers of that server, as the exporter-toolkit has them")
      ->type_name("FILE");
}

}  // namespace sluice::app

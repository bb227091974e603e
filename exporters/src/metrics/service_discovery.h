// What Prometheus' service discovery reads, from a file (file_sd) or over HTTP (http_sd), as JSON. Immutable
// functions.
#pragma once
#include <span>
#include <string>

#include "sluice/exporters/exposition.h"

namespace sluice::exporters {

struct ServerTarget {
  std::string address;  // "HOST:PORT"
  bool tls = false;     // it is to be scraped by https
  std::string run_id;   // the label `run`
};

// One target for all.
[[nodiscard]] std::string TargetsJson(const ServerTarget& server);
// One for each process. `instance` tells them apart, as they have one address.
[[nodiscard]] std::string TargetsJson(const ServerTarget& server, std::span<const MetricProcess> processes);

}  // namespace sluice::exporters

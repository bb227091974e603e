// What Prometheus' service discovery reads, from a file (file_sd) or over HTTP (http_sd). Immutable function.
#pragma once
#include <string>

namespace sluice::exporters {

// One target, "HOST:PORT", with the label `run`; `tls`: it is to be scraped by https. As JSON.
[[nodiscard]] std::string TargetsJson(const std::string& target, bool tls, const std::string& run_id);

}  // namespace sluice::exporters

#include "metrics/service_discovery.h"

#include <nlohmann/json.hpp>

#include "metrics/served_exposition.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

using Json = nlohmann::ordered_json;

Json LabelsOf(const ServerTarget& server) {
  Json labels = {{"run", ValidUtf8(server.run_id)}};
  if (server.tls) labels["__scheme__"] = "https";
  return labels;
}

Json Target(const ServerTarget& server, const Json& labels) {
  return {{"targets", {server.address}}, {"labels", labels}};
}

}  // namespace

std::string TargetsJson(const ServerTarget& server) {
  return Json::array({Target(server, LabelsOf(server))}).dump(2) + "\n";
}

std::string TargetsJson(const ServerTarget& server, std::span<const MetricProcess> processes) {
  Json targets = Json::array();
  for (const MetricProcess& process : processes) {
    Json labels = LabelsOf(server);
    labels["instance"] = server.address + "/" + PathOf(process);
    labels["__metrics_path__"] = "/metrics/" + PathOf(process);
    labels[process.rank ? "__meta_sluice_rank" : "__meta_sluice_pid"] =
        std::to_string(process.rank.value_or(process.pid));
    targets.push_back(Target(server, labels));
  }
  return targets.dump(2) + "\n";
}

}  // namespace sluice::exporters

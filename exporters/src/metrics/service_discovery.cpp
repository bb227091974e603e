#include "metrics/service_discovery.h"

#include <nlohmann/json.hpp>

#include "text/utf8.h"

namespace sluice::exporters {

std::string TargetsJson(const std::string& target, bool tls, const std::string& run_id) {
  nlohmann::ordered_json labels = {{"run", ValidUtf8(run_id)}};
  if (tls) labels["__scheme__"] = "https";
  const nlohmann::ordered_json one = {{"targets", {target}}, {"labels", labels}};
  return nlohmann::ordered_json::array({one}).dump(2) + "\n";
}

}  // namespace sluice::exporters

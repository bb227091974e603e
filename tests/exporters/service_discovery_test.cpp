#include "metrics/service_discovery.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace sluice::exporters {
namespace {

TEST(ServiceDiscovery, IsAListOfTargetsAsPrometheusReadsIt) {
  EXPECT_EQ(nlohmann::json::parse(TargetsJson("127.0.0.1:9464", false, "4242-17f3")),
            nlohmann::json::parse(R"([{"targets": ["127.0.0.1:9464"], "labels": {"run": "4242-17f3"}}])"));
}

TEST(ServiceDiscovery, SaysThatTheTargetSpeaksTls) {
  const auto targets = nlohmann::json::parse(TargetsJson("127.0.0.1:9464", true, "a\"\xff"));
  EXPECT_EQ(targets[0]["labels"]["__scheme__"], "https");
}

}  // namespace
}  // namespace sluice::exporters

#include "metrics/service_discovery.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace sluice::exporters {
namespace {

TEST(ServiceDiscovery, IsAListOfTargetsAsPrometheusReadsIt) {
  EXPECT_EQ(nlohmann::json::parse(TargetsJson({"127.0.0.1:9464", false, "4242-17f3"})),
            nlohmann::json::parse(R"([{"targets": ["127.0.0.1:9464"], "labels": {"run": "4242-17f3"}}])"));
}

TEST(ServiceDiscovery, SaysThatTheTargetSpeaksTls) {
  const auto targets = nlohmann::json::parse(TargetsJson({"127.0.0.1:9464", true, "a\"\xff"}));
  EXPECT_EQ(targets[0]["labels"]["__scheme__"], "https");
}

TEST(ServiceDiscovery, NamesEachProcessAsATargetThatIsToldFromTheOthers) {
  const std::vector<MetricProcess> processes = {{.rank = 3}, {.rank = {}, .pid = 4711}};
  const auto targets = nlohmann::json::parse(TargetsJson({"127.0.0.1:9464", false, "run"}, processes));
  EXPECT_EQ(targets, nlohmann::json::parse(R"([
    {"targets": ["127.0.0.1:9464"],
     "labels": {"run": "run", "instance": "127.0.0.1:9464/rank/3", "__metrics_path__": "/metrics/rank/3",
                "__meta_sluice_rank": "3"}},
    {"targets": ["127.0.0.1:9464"],
     "labels": {"run": "run", "instance": "127.0.0.1:9464/pid/4711", "__metrics_path__": "/metrics/pid/4711",
                "__meta_sluice_pid": "4711"}}])"));
  EXPECT_EQ(TargetsJson({"127.0.0.1:9464", false, "run"}, {}), "[]\n");
}

}  // namespace
}  // namespace sluice::exporters

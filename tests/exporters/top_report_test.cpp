#include "sluice/exporters/top_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

TopReport Look() {
  const LiveView view = example::View();
  return {.program = "train.py: \"loader\"",
          .run_id = "r1",
          .pid = 4242,
          .version = "0.1.0",
          .run_start = view.start,
          .from = view.previous,
          .to = view.now,
          .verdict = view.verdict,
          .decisions = view.decisions};
}

TEST(TopJson, HasTheIntervalBetweenTheLooksAndTheRunsOwnDecisions) {
  const auto json = nlohmann::json::parse(TopJson(Look()));
  EXPECT_EQ(json["format"], "sluice-top-result");
  EXPECT_EQ(json["watched"]["program"], "train.py: \"loader\"");
  EXPECT_EQ(json["watched"]["pid"], 4242);
  EXPECT_TRUE(json["watched"]["rank"].is_null());
  EXPECT_NEAR(json["window"]["starved_fraction"].get<double>(), 0.62, 0.01);
  EXPECT_EQ(json["verdict"]["op"], "decode");
  EXPECT_EQ(json["ops"].size(), 5u);
  EXPECT_NEAR(json["ops"][2]["busy_fraction"].get<double>(), 0.985, 0.01);
  EXPECT_EQ(json["connectors"][4]["to"], nullptr);
  EXPECT_EQ(json["decisions"].size(), Look().decisions.entries().size());
}

TEST(TopJson, SaysWhyAKnobIsHeld) {
  TopReport look = Look();
  look.to.knobs[1].held = HeldBecause::kOrder;
  const auto json = nlohmann::json::parse(TopJson(look));
  EXPECT_EQ(json["settings"][1]["held"], "order");
  EXPECT_TRUE(json["settings"][0]["held"].is_null());
}

TEST(TopJson, HasNullAfterASingleLook) {
  TopReport look = Look();
  look.from = look.to;
  const auto json = nlohmann::json::parse(TopJson(look));
  EXPECT_TRUE(json["window"]["items_per_second"].is_null());
  EXPECT_TRUE(json["ops"][0]["busy_fraction"].is_null());
  EXPECT_GT(json["ops"][0]["items"], 0);
}

TEST(TopJson, IsADocumentWithNothingMeasured) {
  const auto json = nlohmann::json::parse(TopJson({}));
  EXPECT_TRUE(json["ops"].empty());
  EXPECT_EQ(json["verdict"]["limit"], "unknown");
}

}  // namespace
}  // namespace sluice::exporters

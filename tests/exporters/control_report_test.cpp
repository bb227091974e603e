#include "sluice/exporters/control_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

class ControlReportTest : public testing::Test {
 protected:
  [[nodiscard]] ControlledPipeline Pipeline() const {
    return {.name = {.number = 1, .name = "train \"a\"", .pid = 4242},
            .tuning = "tuning",
            .lease = LeaseHolder{"alice", std::chrono::seconds(12)},
            .run_start = view_.start,
            .from = &view_.previous,
            .to = &view_.now,
            .verdict = &view_.verdict,
            .decisions = &view_.decisions};
  }

  LiveView view_ = example::View();
};

TEST_F(ControlReportTest, HasAllThatIsKnownOfAPipeline) {
  const auto json = nlohmann::json::parse(ControlledPipelineJson(Pipeline()));
  EXPECT_EQ(json["pipeline"], 1);
  EXPECT_EQ(json["name"], "train \"a\"");
  EXPECT_TRUE(json["rank"].is_null());
  EXPECT_EQ(json["tuning"], "tuning");
  EXPECT_TRUE(json["held_by"].is_null());
  EXPECT_EQ(json["lease"]["holder"], "alice");
  EXPECT_EQ(json["lease"]["seconds_left"], 12);
  EXPECT_EQ(json["verdict"]["op"], "decode");
  EXPECT_EQ(json["ops"].size(), view_.now.ops.size());
  EXPECT_EQ(json["connectors"].size(), view_.now.connectors.size());
  EXPECT_EQ(json["knobs"].size(), view_.now.knobs.size());
  EXPECT_EQ(json["decisions"].size(), view_.decisions.entries().size());
}

TEST_F(ControlReportTest, TellsOfAKnobWhatThereIsWhatWasAskedForAndWhatIsInForce) {
  Knob& knob = view_.now.knobs[0];
  ASSERT_EQ(knob.id.kind, KnobKind::kWorkers);
  view_.now.ops[knob.id.target].workers = 3;
  knob.value = 4;
  knob.requested = 5;
  knob.takes_effect = TakesEffect::kNextEpoch;
  knob.holder = Holder::kUser;
  knob.held = HeldBecause::kOrder;
  const auto json = nlohmann::json::parse(KnobsJson(Pipeline()))["knobs"][0];
  EXPECT_EQ(json["name"], knob.name);
  EXPECT_EQ(json["kind"], "workers");
  EXPECT_EQ(json["unit"], "workers");
  EXPECT_EQ(json["min"], knob.min);
  EXPECT_EQ(json["max"], knob.max);
  EXPECT_EQ(json["current"], 3);
  EXPECT_EQ(json["requested"], 5);
  EXPECT_EQ(json["applied"], 4);
  EXPECT_EQ(json["takes_effect"], "next_epoch");
  EXPECT_EQ(json["holder"], "user");
  EXPECT_EQ(json["held"], "order");
  knob.id.target = 1000;
  EXPECT_TRUE(nlohmann::json::parse(KnobsJson(Pipeline()))["knobs"][0]["current"].is_null());
}

TEST_F(ControlReportTest, ALineOfAStreamIsOneWithTheLastDecisionOnly) {
  const std::string line = ControlledPipelineLine(Pipeline());
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_FALSE(json.contains("decisions"));
  EXPECT_EQ(json["decision_count"], view_.decisions.entries().size());
  EXPECT_EQ(json["last_decision"]["id"], view_.decisions.entries().back().decision.id);
  EXPECT_EQ(json["verdict"]["op"], "decode");
  view_.decisions = {};
  EXPECT_TRUE(nlohmann::json::parse(ControlledPipelineLine(Pipeline()))["last_decision"].is_null());
}

TEST_F(ControlReportTest, AChangeComesWithItsDecision) {
  const std::uint64_t id = view_.decisions.entries().front().decision.id;
  const auto json = nlohmann::json::parse(ChangedJson(Pipeline(), id));
  EXPECT_EQ(json["decision"]["id"], id);
  EXPECT_TRUE(nlohmann::json::parse(ChangedJson(Pipeline(), 0))["decision"].is_null());
}

TEST(ControlReport, ListsTheVersionsAndThePipelines) {
  EXPECT_EQ(nlohmann::json::parse(VersionsJson()), nlohmann::json::parse("{\"versions\": [1]}"));
  EXPECT_EQ(nlohmann::json::parse(OtherVersionJson())["versions"], nlohmann::json::parse("[1]"));
  const ControlledAgent agent{
      .verb = "wrap",
      .run_id = "r",
      .version = "0.1.0",
      .pid = 7,
      .pipelines = {{.name = "a"}, {.number = 1, .name = "b", .rank = 2, .over = true}}};
  const auto json = nlohmann::json::parse(ControlledAgentJson(agent));
  EXPECT_EQ(json["api_version"], 1);
  EXPECT_EQ(json["sluice_version"], "0.1.0");
  EXPECT_TRUE(json["lease"].is_null());
  EXPECT_EQ(json["pipelines"][1]["rank"], 2);
  EXPECT_EQ(json["pipelines"][1]["over"], true);
}

TEST(ControlReport, ARefusalNamesWhoeverHoldsTheLease) {
  const auto json =
      nlohmann::json::parse(RefusalJson("no \"a\"", LeaseHolder{"bob", std::chrono::seconds(3)}));
  EXPECT_EQ(json["error"], "no \"a\"");
  EXPECT_EQ(json["holder"], "bob");
  EXPECT_EQ(json["seconds_left"], 3);
}

}  // namespace
}  // namespace sluice::exporters

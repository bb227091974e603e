#include "sluice/exporters/snapshot_line.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class SnapshotLineTest : public testing::Test {
 protected:
  [[nodiscard]] ControlledPipeline Pipeline() const {
    return {.name = {.number = 1, .name = "train", .rank = 3, .pid = 4242},
            .run_start = view_.start,
            .from = &view_.previous,
            .to = &view_.now,
            .verdict = &view_.verdict,
            .decisions = &view_.decisions};
  }
  [[nodiscard]] std::string Line() const { return SnapshotLine(Pipeline(), kAllDecisions); }
  // Why it is not read once this is done to it.
  template <typename Change>
  std::string WhyNot(Change change) {
    auto json = nlohmann::json::parse(Line());
    change(json);
    const auto seen = ReadSnapshotLine(json.dump());
    return seen ? "it is read" : seen.error().message;
  }

  LiveView view_ = example::View();
};

TEST_F(SnapshotLineTest, IsReadAsItWasWritten) {
  view_.now.ops[0].on_cpu = Nanos(77);
  view_.now.knobs[0].held = HeldBecause::kOrder;
  view_.now.consumer.waits[5] = 9;
  view_.verdict.regimes = {Regime::kWaits, Regime::kUnknown, Regime::kLocked};
  const std::string line = Line();
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto seen = ReadSnapshotLine(line);
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->name, "train");
  EXPECT_EQ(seen->rank, 3);
  EXPECT_EQ(seen->now.at, view_.now.at);
  EXPECT_EQ(seen->now.graph->connectors.size(), view_.now.graph->connectors.size());
  EXPECT_EQ(seen->now.ops[0].on_cpu, Nanos(77));
  EXPECT_EQ(seen->now.consumer.waits[5], 9U);
  EXPECT_EQ(seen->verdict.sentence, view_.verdict.sentence);
  EXPECT_EQ(seen->verdict.regimes, view_.verdict.regimes);
  EXPECT_THAT(seen->decisions, SizeIs(view_.decisions.entries().size()));
  DecisionLog decisions;
  for (const LoggedDecision& entry : seen->decisions) decisions.Put(entry);
  ControlledPipeline again = Pipeline();
  again.to = &seen->now;
  again.verdict = &seen->verdict;
  again.decisions = &decisions;
  EXPECT_EQ(SnapshotLine(again, kAllDecisions), line) << "no figure is lost on the way";
}

TEST_F(SnapshotLineTest, WhatIsNotKnownStaysSo) {
  view_.now.ops[0].timed = view_.now.ops[0].items_known = false;
  view_.now.cpu_known = view_.now.buffered_known = view_.now.consumer.rows_known = false;
  view_.now.rss.reset();
  const auto seen = ReadSnapshotLine(Line());
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->now.ops[0].timed || seen->now.ops[0].items_known);
  EXPECT_FALSE(seen->now.cpu_known || seen->now.buffered_known || seen->now.consumer.rows_known);
  EXPECT_FALSE(seen->now.rss);
}

TEST_F(SnapshotLineTest, HasTheLastDecisionsOnly) {
  ASSERT_GT(view_.decisions.entries().size(), 1U);
  const auto seen = ReadSnapshotLine(SnapshotLine(Pipeline(), 1));
  ASSERT_TRUE(seen);
  ASSERT_THAT(seen->decisions, SizeIs(1));
  EXPECT_EQ(seen->decisions[0].decision.id, view_.decisions.entries().back().decision.id);
}

TEST_F(SnapshotLineTest, WhatCannotBeShownIsRefusedWithItsField) {
  using Json = nlohmann::json;
  EXPECT_THAT(ReadSnapshotLine("{\"notice\": \"ended\"}").error().message, HasSubstr("'at_ns'"));
  EXPECT_THAT(ReadSnapshotLine("[]").error().message, HasSubstr("no JSON object"));
  EXPECT_THAT(ReadSnapshotLine(std::string(100000, '[')).error().message, HasSubstr("no JSON object"));
  EXPECT_THAT(WhyNot([](Json& json) { json["snapshot"]["ops"] = 4; }), HasSubstr("'ops'"));
  EXPECT_THAT(WhyNot([](Json& json) { json["snapshot"]["connectors"][0]["from"] = 99; }),
              HasSubstr("joins no ops"));
  EXPECT_THAT(WhyNot([](Json& json) { json["snapshot"]["connectors"][1]["to"] = 0; }),
              HasSubstr("joins no ops"))
      << "an op never comes before those that feed it";
  EXPECT_THAT(WhyNot([](Json& json) { json["snapshot"]["knobs"].clear(); }), HasSubstr("is read"));
}

TEST_F(SnapshotLineTest, AbsurdFiguresAreKeptInTheirRange) {
  auto json = nlohmann::json::parse(Line());
  json["snapshot"]["ops"][0]["items"] = -5;
  json["snapshot"]["ops"][0]["busy_ns"] = 18446744073709551615U;
  json["snapshot"]["connectors"][0]["depth_seconds"] = -1e300;
  json["verdict"]["op"] = 1000;
  json["verdict"]["confidence"] = 7;
  json["verdict"]["regimes"] = {"waits", 4, "elsewhere"};
  const auto seen = ReadSnapshotLine(json.dump());
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->now.ops[0].items, 0U);
  EXPECT_GE(seen->now.ops[0].busy, Nanos(0));
  EXPECT_EQ(seen->now.connectors[0].depth_seconds, 0);
  EXPECT_FALSE(seen->verdict.op);
  EXPECT_EQ(seen->verdict.confidence.value, 1);
  EXPECT_EQ(seen->verdict.regimes, (std::vector{Regime::kWaits, Regime::kUnknown, Regime::kUnknown}));
}

}  // namespace
}  // namespace sluice::exporters

#include "sluice/exporters/json_lines.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "exporters/example_run.h"

namespace sluice::exporters {
namespace {

using Json = nlohmann::json;

Json Parsed(const std::string& line) {
  EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
  EXPECT_EQ(line.back(), '\n');
  return Json::parse(line);
}

const Snapshot kFrom = example::At(std::chrono::seconds(11), 755, 2);
const Snapshot kTo = example::At(std::chrono::seconds(12), 755, 2);

std::vector<std::string> LinesOfEachType() {
  return {JsonRunLine({.verb = "run", .name = "jpeg", .run_id = "r", .version = "0.1.0"}),
          JsonPipelineLine(1, {.name = "jpeg", .rank = 3, .pid = 42, .started = example::kStart}, kFrom),
          JsonSnapshotLine(1, kFrom, kTo, example::DecodeLimits()),
          JsonDecisionLine(1, example::Decisions().entries()[0], kTo),
          JsonEventLine(1, kFrom.at, kTo, "nothing moves"),
          JsonEndLine(kTo.wall, "finished")};
}

TEST(JsonLines, SnapshotsTellFiguresOfTheTimeBetween) {
  const Json line = Parsed(JsonSnapshotLine(2, kFrom, kTo, example::DecodeLimits()));
  EXPECT_EQ(line["type"], "snapshot");
  EXPECT_EQ(line["pipeline"], 2);
  EXPECT_DOUBLE_EQ(line["unix_seconds"].get<double>(), 1'800'000'012);
  EXPECT_NEAR(line["rows_per_second"].get<double>(), 755, 1);
  EXPECT_NEAR(line["starved_fraction"].get<double>(), 0.62, 0.001);
  EXPECT_NEAR(line["ops"]["decode"]["busy_fraction"].get<double>(), 0.985, 0.001);
  EXPECT_EQ(line["connectors"]["read->shuffle"]["capacity_items"], 16);
  EXPECT_EQ(line["knobs"]["decode.workers"], 2);
  EXPECT_EQ(line["verdict"]["op"], "decode");
}

TEST(JsonLines, WhatIsNotKnownIsNull) {
  const Json line = Parsed(JsonSnapshotLine(1, kTo, kTo, {}));
  EXPECT_TRUE(line["rows_per_second"].is_null());
  EXPECT_TRUE(line["ops"]["decode"]["busy_fraction"].is_null());
  EXPECT_TRUE(Parsed(JsonRunLine({}))["cpu"].is_null());
}

TEST(JsonLines, DecisionsHaveTheMomentThatTheyWereMadeAt) {
  const DecisionLog decisions = example::Decisions();
  const Json line = Parsed(JsonDecisionLine(1, decisions.entries()[1], kTo));
  EXPECT_NEAR(line["unix_seconds"].get<double>(), 1'800'000'006.1, 1e-6);
  EXPECT_EQ(line["fate"], "rolled_back");
  EXPECT_EQ(
      line["changes"],
      Json::parse(
          R"([{"knob":"decode.workers","from":2,"to":4},{"knob":"decode.capacity","from":8,"to":16}])"));
  EXPECT_NEAR(line["measured_items_per_second"].get<double>(), 10.9, 1e-9);
}

TEST(JsonLines, SurviveOddNames) {
  const std::string line = JsonEventLine(1, kFrom.at, kTo, "broken \xff bytes\nand a \"line\" break");
  EXPECT_EQ(Parsed(line)["text"], "broken \uFFFD bytes\nand a \"line\" break");
}

TEST(JsonLines, ThePageNamesEveryKey) {
  std::stringstream page;
  page << std::ifstream(std::string(SLUICE_DOCS) + "/jsonl.md").rdbuf();
  for (const std::string& text : LinesOfEachType()) {
    const Json line = Parsed(text);
    const std::string type = line["type"];
    EXPECT_THAT(page.str(), testing::HasSubstr("### `" + type + "`"));
    for (const auto& [key, value] : line.items())
      EXPECT_THAT(page.str(), testing::HasSubstr("`" + key + "`")) << type;
  }
  const Json snapshot = Parsed(LinesOfEachType()[2]);
  for (const char* each : {"ops", "connectors"}) {
    for (const auto& [key, value] : snapshot[each].begin()->items())
      EXPECT_THAT(page.str(), testing::HasSubstr("`" + key + "`"));
  }
}

}  // namespace
}  // namespace sluice::exporters

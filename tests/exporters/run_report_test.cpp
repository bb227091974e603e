#include "sluice/exporters/run_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "comma_locale.h"
#include "exporters/example_run.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

std::string Page() {
  return ReportText(example::Report(), {100, 24, false, true});
}

TEST(ReportText, SaysWhatLimitedTheRunAndWhatTuningGained) {
  EXPECT_THAT(Page(), HasSubstr("jpeg-train finished after 31.2s: 368 batches, 23556 rows"));
  EXPECT_THAT(Page(), HasSubstr("verdict   decode limits the run"));
  EXPECT_THAT(Page(), HasSubstr("starved 0.6%   over 3.0s  × 3.36"));
}

TEST(ReportText, ShowsEachDecisionWithBothGainsAndItsWholeReason) {
  EXPECT_THAT(Page(),
              HasSubstr("decode.workers 1 → 2                          kept                +95%      +88%"));
  EXPECT_THAT(Page(),
              HasSubstr("        decode still limits: 2 of 4 cores are used, each worker is busy 98%\n"));
  EXPECT_THAT(Page(), HasSubstr("kept, by user          –         –"));
}

TEST(ReportText, ListsSettingsWithWhatTheyWere) {
  EXPECT_THAT(Page(), HasSubstr("decode.workers       1    2  1..16\n"));
  EXPECT_THAT(Page(), HasSubstr("augment.workers      1    1  1..16, pinned by the user\n"));
}

// The first op is placed; of its pages none has been looked at yet.
RunReport Placed() {
  RunReport report = example::Report();
  Knob knob{.id = {KnobKind::kPlacement, 0}, .name = "read.placement", .value = 2, .max = 3};
  report.end.knobs.push_back(knob);
  knob.value = 0;
  report.start.knobs.push_back(knob);
  report.end.ops[0].place = {.at_home = std::chrono::seconds(9),
                             .elsewhere = std::chrono::seconds(1),
                             .pages = 0,
                             .pages_at_home = 0};
  return report;
}

TEST(ReportText, TellsOfPlacesWhatTheKernelSays) {
  const TextStyle style{100, 24, false, true};
  const std::string page = ReportText(Placed(), style);
  EXPECT_THAT(page, HasSubstr("anywhere  node 1  any node\n"));
  EXPECT_THAT(page, testing::ContainsRegex("node 1 +90% +–\n"));
  EXPECT_THAT(Page(), Not(HasSubstr("placed")));
}

TEST(ReportJson, TellsOfPlacesWhatWasAskedAndWhatTheKernelSays) {
  const Json ops = Json::parse(ReportJson(Placed()))["ops"];
  EXPECT_EQ(ops[0]["place"], Json::parse(R"({"placement": "node 1", "nodes": [1], "at_home_seconds": 9.0,
                                              "elsewhere_seconds": 1.0, "pages": 0, "pages_at_home": 0})"));
  EXPECT_TRUE(ops[1]["place"].is_null());
}

TEST(ReportText, EndsWithTheRowsThatFailed) {
  RunReport report = example::Report();
  const TextStyle style{100, 24, false, true};
  EXPECT_THAT(ReportText(report, style), Not(HasSubstr("failed")));
  report.rows = {1, 24, 1};
  EXPECT_THAT(ReportText(report, style),
              EndsWith("\n\nfailed    1 of 24 rows; --failed-rows FILE lists them\n"));
  report.rows = {34, 100000, 17};
  report.failed_rows_file = "failed.tsv";
  EXPECT_THAT(ReportText(report, style),
              EndsWith("\n\nfailed    34 of 100000 rows (17 different rows); listed in failed.tsv\n"));
}

TEST(ReportText, KeepsToItsWidth) {
  for (const int width : {40, 80, 100, 140}) {
    std::istringstream lines(ReportText(example::Report(), {width, 24, false, true}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), width) << line;
  }
}

TEST(ReportText, StaysReadableWhenNothingWasMeasured) {
  RunReport report;
  report.ended = RunEnd::kFailed;
  report.error = "data/train: no such folder";
  const std::string page = ReportText(report, {});
  EXPECT_THAT(page, HasSubstr("failed"));
  EXPECT_THAT(page, HasSubstr("error     data/train: no such folder"));
  EXPECT_THAT(page, HasSubstr("before     –  items/s"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(ReportJson, HoldsTheDocumentedKeys) {
  const CommaLocale commas;
  const Json json = Json::parse(ReportJson(example::Report()));
  EXPECT_EQ(json["format"], "sluice-result");
  EXPECT_EQ(json["format_version"], 1);
  EXPECT_EQ(json["run"]["scenario"], "jpeg-train");
  EXPECT_EQ(json["run"]["duration_seconds"], 31.2);
  EXPECT_EQ(json["verdict"]["limit"], "op");
  EXPECT_EQ(json["verdict"]["op"], "decode");
  EXPECT_NEAR(json["throughput"]["speedup"].get<double>(), 3.356, 0.001);
  EXPECT_EQ(json["throughput"]["last_window"]["rows_per_second"], 1267.2);
  EXPECT_EQ(json["history"][0]["at_seconds"], 0.25);
  EXPECT_EQ(json["history"][1]["items"], 583);
  EXPECT_EQ(json["history"][1]["rows"], 37312);
  EXPECT_EQ(json["ops"][2]["name"], "decode");
  EXPECT_TRUE(json["ops"][2]["regime"].is_null()) << "nothing is said of it";
  EXPECT_NEAR(json["ops"][2]["busy_seconds"].get<double>(), 61.464, 1e-6);
  EXPECT_EQ(json["connectors"][4]["to"], nullptr);
  EXPECT_EQ(json["connectors"][0]["capacity_items"], 16);
  EXPECT_EQ(json["settings"][1]["start"], 1);
  EXPECT_EQ(json["settings"][1]["end"], 2);
  EXPECT_EQ(json["decisions"][1]["fate"], "rolled_back");
  EXPECT_EQ(json["decisions"][0]["changes"][0]["knob"], "decode.workers");
  EXPECT_EQ(json["decisions"][2]["author"], "user");
  EXPECT_EQ(json["run"]["warnings"].size(), 1U);
}

TEST(ReportJson, CountsTheRowsThatFailed) {
  RunReport report = example::Report();
  report.rows = {34, 100000, 17};
  EXPECT_EQ(Json::parse(ReportJson(report))["failed_rows"],
            Json({{"failed", 34}, {"read", 100000}, {"different", 17}, {"file", nullptr}}));
  report.failed_rows_file = "failed.tsv";
  EXPECT_EQ(Json::parse(ReportJson(report))["failed_rows"]["file"], "failed.tsv");
}

TEST(ReportJson, WritesNullForWhatIsMissing) {
  const Json json = Json::parse(ReportJson(RunReport{}));
  EXPECT_TRUE(json["throughput"]["first_window"].is_null());
  EXPECT_TRUE(json["throughput"]["speedup"].is_null());
  EXPECT_TRUE(json["process"]["rss_bytes"].is_null());
  EXPECT_TRUE(json["budget"]["memory_bytes"].is_null());
  EXPECT_TRUE(json["ops"].is_array() && json["ops"].empty());
  RunReport unmeasured = example::Report();
  unmeasured.end.ops[2].on_cpu.reset();
  EXPECT_TRUE(Json::parse(ReportJson(unmeasured))["ops"][2]["on_cpu_seconds"].is_null());
}

TEST(ReportJson, SurvivesBytesThatAreNoText) {
  RunReport report = example::Report();
  report.scenario = "quote \" line\n \xff";
  report.last_window->items = Rate{std::numeric_limits<double>::infinity()};
  const Json json = Json::parse(ReportJson(report));
  EXPECT_EQ(json["run"]["scenario"], "quote \" line\n \uFFFD");
  EXPECT_TRUE(json["throughput"]["last_window"]["items_per_second"].is_null());
}

}  // namespace
}  // namespace sluice::exporters

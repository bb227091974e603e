#include "sluice/evaluation/suite_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "evaluation/written_scores.h"
#include "sluice/evaluation/floors.h"

namespace sluice::evaluation::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Scores Never() {
  Scores scores = Good();
  scores.final_share = 0.5;
  scores.t95 = std::nullopt;
  scores.lost = 60;
  scores.steadiness = std::nullopt;
  scores.names_limit = false;
  scores.diagnosed = std::nullopt;
  scores.memory_share = std::nullopt;
  return scores;
}

SuiteResult Example() {
  Scores second = Losing(3);
  second.final_share = 0.97;
  return {2, {Met({{"sluice", {Good(), second}}, {"static", {Never(), Never()}}}, {{60, 2}})}};
}

TEST(SuiteText, IsATablePerScenarioAndTheStandings) {
  EXPECT_EQ(SuiteText(Example()),
            R"(work: One op that works.
  optimum 100 items/s (the consumer); from 60 s 50 (the consumer); 8 cores, 120 s
  controller  final  t95 s    chg  lost s   mem  OOM  waste  chg/min     sd  shift s  alarm/h  worst  named  of best  threads  floors
  sluice      0.980    2.0      2     2.0  0.50    0   0.02      0.5  0.010        -      0.0   1.20   0.98    1.000     0.50   11/11
  static      0.500  never  never    60.0     -    0   0.02    never  never        -    never   1.20      -    1.000     0.50     5/9

1 scenario, medians of 2 seeds
  controller  least loss  exactly  floors met
  sluice          1 of 1   1 of 1    12 of 12
  static          0 of 1   0 of 1     5 of 10

Floors missed
  static
    final in work
    lost in work
    steady in work
    calm in work
    lowest in work
)");
}

TEST(SuiteText, OfNothingLostIsNotMinusZero) {
  EXPECT_THAT(SuiteText({1, {Met({{"sluice", {Losing(-0.001)}}})}}), Not(HasSubstr("-0.0")));
}

TEST(SuiteText, NamesTheFirstScenariosThatMissAFloorAndCountsTheOthers) {
  SuiteResult result{1, {}};
  for (int i = 0; i < 9; ++i) {
    result.scenarios.push_back(Met({{"sluice", {Never()}}}));
    result.scenarios.back().scenario.name = "s" + std::to_string(i);
  }
  EXPECT_THAT(SuiteText(result), HasSubstr("final in s0, s1, s2, s3, s4, s5 and 3 more\n"));
  EXPECT_THAT(SuiteMarkdown(result), HasSubstr("final in s0, s1, s2, s3, s4, s5, s6, s7, s8"));
}

TEST(SuiteMarkdown, HasQuartilesWhereTheyDiffer) {
  const std::string text = SuiteMarkdown(Example());
  EXPECT_THAT(text, HasSubstr("| sluice | 0.980 (0.975..0.985) | 2.0 | 2 | 2.0 (1.5..2.5) |"));
  EXPECT_THAT(text, HasSubstr("| static | 0.500 | never | never | 60.0 | - |"));
  EXPECT_THAT(text, HasSubstr("## work\n"));
}

TEST(SuiteReports, SayTheLeastLossWithToleranceAndWithout) {
  const SuiteResult result{1, {Met({{"sluice", {Losing(2)}}, {"static", {Losing(1)}}})}};
  EXPECT_THAT(SuiteText(result), HasSubstr("sluice          1 of 1   0 of 1"));
  EXPECT_THAT(SuiteMarkdown(result), HasSubstr("| controller | least loss in | exactly in |"));
  EXPECT_THAT(SuiteMarkdown(result), HasSubstr("| sluice | 1 of 1 | 0 of 1 |"));
  const auto json = nlohmann::json::parse(SuiteJson(result));
  EXPECT_EQ(json["standings"][0]["least_loss_in"], 1);
  EXPECT_EQ(json["standings"][0]["least_loss_exactly_in"], 0);
  EXPECT_EQ(json["scenarios"][0]["controllers"][0]["least_loss"], true);
  EXPECT_EQ(json["scenarios"][0]["controllers"][0]["least_loss_exactly"], false);
}

TEST(SuiteMarkdown, ExplainsFloorsAndColumns) {
  const std::string text = SuiteMarkdown(Example());
  for (const Floor& floor : Floors()) {
    EXPECT_THAT(text, HasSubstr("| " + std::string(floor.name) + " | " + std::string(floor.wants)));
  }
  EXPECT_THAT(text, HasSubstr("| final | throughput over the optimum's"));
}

TEST(SuiteMarkdown, HasAsManyCellsInEachLineOfATable) {
  std::istringstream lines(SuiteMarkdown(Example()));
  long cells = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto bars = std::ranges::count(line, '|');
    if (cells > 0 && bars > 0) {
      EXPECT_EQ(bars, cells) << line;
    }
    cells = bars;
  }
}

TEST(SuiteJson, HasEverySeedAndWhatTheyComeTo) {
  const auto json = nlohmann::json::parse(SuiteJson(Example()));
  EXPECT_EQ(json["format"], "sluice-evaluation");
  EXPECT_EQ(json["format_version"], kSuiteFormatVersion);
  const auto& scenario = json["scenarios"][0];
  EXPECT_EQ(scenario["scenario"], "work");
  ASSERT_EQ(scenario["optimum"].size(), 2u);
  EXPECT_EQ(scenario["optimum"][1]["limit"], "consumer");
  EXPECT_DOUBLE_EQ(scenario["optimum"][1]["items_per_second"], 50);
  const auto& ours = scenario["controllers"][0];
  ASSERT_EQ(ours["seeds"].size(), 2u);
  EXPECT_EQ(ours["seeds"][1]["seed"], 2);
  EXPECT_DOUBLE_EQ(ours["seeds"][1]["final_share"], 0.97);
  EXPECT_DOUBLE_EQ(ours["figures"]["lost_seconds"]["median"], 2);
  EXPECT_EQ(ours["floors_met"]["final"], true);
  EXPECT_EQ(ours["least_loss"], true);
}

TEST(SuiteReports, NameTheStart) {
  SuiteResult result = Example();
  result.scenarios[0].start = "cores";
  result.scenarios[0].scenario.ops[1].workers = 8;
  const auto json = nlohmann::json::parse(SuiteJson(result));
  EXPECT_EQ(json["scenarios"][0]["scenario"], "work@cores");
  EXPECT_EQ(json["scenarios"][0]["start"], "cores");
  EXPECT_EQ(json["scenarios"][0]["start_workers"], nlohmann::json::array({1, 8}));
  EXPECT_EQ(json["standings"][1]["missed"][0]["scenarios"][0], "work@cores");
  EXPECT_THAT(SuiteText(result), HasSubstr("work@cores: One op"));
  EXPECT_THAT(SuiteMarkdown(result), HasSubstr("## work@cores\n"));
}

TEST(SuiteJson, TellsNeverFromNotApplying) {
  const auto json = nlohmann::json::parse(SuiteJson(Example()));
  const auto& theirs = json["scenarios"][0]["controllers"][1];
  EXPECT_TRUE(theirs["figures"]["t95_seconds"].is_object());
  EXPECT_TRUE(theirs["figures"]["t95_seconds"]["median"].is_null());
  EXPECT_TRUE(theirs["figures"]["memory_share"].is_null());
  EXPECT_TRUE(theirs["floors_met"]["named"].is_null());
}

TEST(SuiteJson, SaysWhoMissesWhatWhere) {
  const auto json = nlohmann::json::parse(SuiteJson(Example()));
  const auto& standing = json["standings"][1];
  EXPECT_EQ(standing["controller"], "static");
  EXPECT_EQ(standing["least_loss_in"], 0);
  EXPECT_EQ(standing["missed"][0]["floor"], "final");
  EXPECT_EQ(standing["missed"][0]["scenarios"][0], "work");
}

}  // namespace
}  // namespace sluice::evaluation::testing

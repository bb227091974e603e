#include "sluice/evaluation/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluation/written_scores.h"
#include "sluice/evaluation/suite_report.h"

namespace sluice::evaluation::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ScenarioScores Random(const std::string& classes, Scores ours, const std::string& start = "file") {
  ScenarioScores scenario = Met({{"static", {Losing(50)}}, {"sluice", {ours}}});
  scenario.scenario.summary = "Made at random from seed 7: " + classes + ".";
  scenario.scenario.name = "secret";
  scenario.start = start;
  return scenario;
}

template <typename Change>
Scores With(Change change) {
  Scores scores = Good();
  change(scores);
  return scores;
}

Totals AllOf(std::vector<ScenarioScores> scenarios) {
  return TotalsOf({1, std::move(scenarios)}, 1).front();
}

TEST(Classes, StandInTheSummaryOfRandomScenarios) {
  EXPECT_THAT(ClassesOf(Random("chain, large-rows, demand", Good()).scenario),
              ElementsAre("chain", "large-rows", "demand"));
  EXPECT_THAT(ClassesOf(Met({}).scenario), IsEmpty());
}

TEST(Totals, AreOfAllRunsOfEachStartAndOfEachClass) {
  const auto totals = TotalsOf({1, {Random("chain, demand", Good()), Random("chain", Good(), "cores")}}, 1);
  std::vector<std::string> groups;
  std::vector<int> runs;
  for (const Totals& each : totals) groups.push_back(each.group), runs.push_back(each.runs);
  EXPECT_THAT(groups, ElementsAre("all", "from cores", "from file", "chain", "demand"));
  EXPECT_THAT(runs, ElementsAre(2, 1, 1, 2, 1));
  EXPECT_EQ(TotalsOf({1, {Random("chain", Good())}}, 1).size(), 2u) << "one start is all there is";
}

TEST(Totals, OfGoodRunsMissNothing) {
  const Totals all = AllOf({Random("chain", Good())});
  for (const TotalRow& row : TotalRows()) EXPECT_TRUE(row.met(all)) << row.title;
}

struct Miss {
  std::string_view head;
  void (*change)(Scores&);
};
void PrintTo(const Miss& miss, std::ostream* out) {
  *out << miss.head;
}

class MissedTotal : public ::testing::TestWithParam<Miss> {};

TEST_P(MissedTotal, IsToldByItsRow) {
  const Totals all = AllOf({Random("chain", With(GetParam().change))});
  const auto row = std::ranges::find(TotalRows(), GetParam().head, &TotalRow::head);
  ASSERT_NE(row, TotalRows().end());
  EXPECT_FALSE(row->met(all)) << row->text(all);
}

INSTANTIATE_TEST_SUITE_P(
    Each, MissedTotal,
    ::testing::Values(Miss{"floors", [](Scores& s) { s.core_waste = 1; }},
                      Miss{"of best", [](Scores& s) { s.over_best = 0.96; }},
                      Miss{"< start", [](Scores& s) { s.over_untouched = 0.89; }},
                      Miss{"least", [](Scores& s) { s.lost = 53; }},
                      Miss{"rest", [](Scores& s) { s.lost = 80; }},
                      Miss{"memory", [](Scores& s) { s.ooms = 1; }},
                      Miss{"memory", [](Scores& s) { s.memory_share = 1.1; }},
                      Miss{"named", [](Scores& s) { s.diagnosed = 0.9; }},
                      Miss{"restless", [](Scores& s) { s.restless.decisions_per_minute = 2; }},
                      Miss{"threads", [](Scores& s) { s.threads = 1.1; }},
                      Miss{"harmed", [](Scores& s) { s.starts_high = true, s.worst_window = 0.9; }}));

TEST(Totals, AskForNoWindowOfStartsThatAreTooLow) {
  const Totals all = AllOf({Random("chain", With([](Scores& s) { s.worst_window = 0.5; }))});
  EXPECT_EQ(all.harmed, 0);
  EXPECT_EQ(all.high_starts, 0);
}

TEST(TotalsText, IsOfOursAndNamesNoScenario) {
  const SuiteResult result{1, {Random("chain, demand", With([](Scores& s) { s.ooms = 1; }))}};
  const std::string text = TotalsText(result);
  EXPECT_THAT(text, HasSubstr("Totals of sluice"));
  EXPECT_THAT(text, ::testing::ContainsRegex("runs killed, or above their memory +1 +0 +missed"));
  EXPECT_THAT(text, ::testing::ContainsRegex("demand +1 "));
  for (const std::string& told : {text, TotalsJson(result)}) {
    EXPECT_THAT(told, Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace sluice::evaluation::testing

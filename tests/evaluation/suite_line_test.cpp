#include "sluice/evaluation/suite_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/written_runs.h"
#include "sluice/evaluation/suite_report.h"

namespace sluice::evaluation::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

SuiteOptions Options() {
  SuiteOptions options;
  for (const char* name : {"one", "two"}) {
    simulator::SimScenario scenario = Work({{5, 2}});
    scenario.name = name;
    scenario.duration = std::chrono::seconds(20);
    scenario.memory = {1'000'000'000};
    options.scenarios.push_back(std::move(scenario));
  }
  options.controllers = {"sluice", "static", "none"};
  options.starts = *StartsNamed("file,cores");
  options.seeds = 2;
  return options;
}

struct Outcome {
  std::string json;
  std::vector<std::string> lines;
  std::size_t first = 0;  // what progress said first
};

Outcome Ran(const SuiteOptions& options) {
  Outcome run;
  const auto result = RunSuite(
      options,
      [&](std::size_t done, std::size_t, const std::string&) {
        run.first = run.first > 0 ? run.first : done;
      },
      [&](const ScenarioScores& scores) { run.lines.push_back(SuiteLine(scores, "this")); });
  EXPECT_TRUE(result.has_value());
  run.json = SuiteJson(*result);
  return run;
}

TEST(SuiteLine, LetsASuiteGoOnToTheSameResult) {
  const Outcome whole = Ran(Options());
  ASSERT_EQ(whole.lines.size(), 4u);
  SuiteOptions again = Options();
  for (std::size_t i = 0; i < 3; ++i) again.known.push_back(*ReadSuiteLine(whole.lines[i], again, "this"));
  const Outcome rest = Ran(again);
  EXPECT_EQ(rest.lines.size(), 1u) << "only what was missing has run";
  EXPECT_EQ(rest.first, 7u) << "six of eight are known";
  EXPECT_EQ(rest.json, whole.json);
}

TEST(SuiteLine, IsRefusedWhereItWasMadeOtherwise) {
  const std::string line = Ran(Options()).lines[0];
  SuiteOptions other = Options();
  EXPECT_THAT(ReadSuiteLine(line, other, "that").error().message,
              HasSubstr("was made by this and this is that"));
  other.seeds = 3;
  EXPECT_THAT(ReadSuiteLine(line, other, "this").error().message, HasSubstr("2 seeds of sluice,static,none"));
  EXPECT_THAT(ReadSuiteLine("{}", Options(), "this").error().message, HasSubstr("no scenario of a suite"));
  EXPECT_THAT(ReadSuiteLine("nonsense", Options(), "this").error().message, HasSubstr("no scenario"));
  std::string broken = line;
  broken.replace(broken.find("\"oracle\""), 8, "\"orakel\"");
  EXPECT_THAT(ReadSuiteLine(broken, Options(), "this").error().message, HasSubstr("lacks something"));
}

TEST(SuiteLine, OfAScenarioThatIsNotAskedForHasNoUse) {
  SuiteOptions fewer = Options();
  fewer.scenarios.erase(fewer.scenarios.begin());
  EXPECT_THAT(ReadSuiteLine(Ran(Options()).lines[0], fewer, "this")->controllers, IsEmpty());
}

}  // namespace
}  // namespace sluice::evaluation::testing

#include "sluice/evaluation/controllers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "evaluation/written_runs.h"
#include "sluice/baselines/baselines.h"
#include "sluice/simulator/sim_plant.h"

namespace sluice::evaluation::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Controllers, AreOursAllBaselinesAndBothEndsOfTheScale) {
  std::vector<std::string> names;
  std::set<std::string> different;
  for (const ControllerInfo& info : Controllers()) {
    names.push_back(info.name);
    different.insert(info.name);
    EXPECT_FALSE(info.description.empty()) << info.name;
  }
  EXPECT_EQ(names.size(), baselines::Baselines().size() + 3);
  EXPECT_EQ(different.size(), names.size());
  EXPECT_EQ(names.front(), "sluice");
  EXPECT_EQ(names.back(), "oracle");
}

TEST(Controllers, CanAllBeMadeByName) {
  for (const ControllerInfo& info : Controllers()) {
    EXPECT_TRUE(MakeController(info.name, Work(), 1).has_value()) << info.name;
  }
}

TEST(Controllers, AnUnknownNameIsAnsweredWithTheNearestOrAll) {
  EXPECT_THAT(MakeController("slice", Work(), 1).error().message, HasSubstr("did you mean 'sluice'?"));
  EXPECT_THAT(MakeController("mindspor", Work(), 1).error().message, HasSubstr("'mindspore'"));
  EXPECT_THAT(MakeController("zzzzzzzz", Work(), 1).error().message, HasSubstr("plumber, plumber-10s"));
}

TEST(Controllers, NoneChangesNothing) {
  const auto none = MakeController("none", Work(), 1);
  const RunRecord run = RunSimulated(Work(), none->get(), 1);
  EXPECT_TRUE(run.decisions.empty());
}

TEST(Controllers, TheOracleSetsWhatTheOptimumNeeds) {
  simulator::SimScenario scenario = Work();
  scenario.consumer.step.mean = std::chrono::milliseconds(3);
  scenario.duration = std::chrono::seconds(10);
  const auto oracle = MakeController("oracle", scenario, 1);
  const RunRecord run = RunSimulated(scenario, oracle->get(), 1);
  ASSERT_EQ(run.decisions.size(), 1u);
  EXPECT_EQ(run.workers[1], 5);  // 10 ms / 3 ms, rounded up, and one to spare
}

TEST(ControllerNames, AreAllWithoutAListAndInOneOrderWithOne) {
  EXPECT_EQ(ControllerNames("")->size(), Controllers().size());
  EXPECT_THAT(*ControllerNames("oracle,static,sluice,static"), ElementsAre("sluice", "static", "oracle"));
}

TEST(ControllerNames, RefuseTheUnknownAndTheEmpty) {
  EXPECT_THAT(ControllerNames("sluice,statik").error().message, HasSubstr("did you mean 'static'?"));
  EXPECT_FALSE(ControllerNames("sluice,").has_value());
}

}  // namespace
}  // namespace sluice::evaluation::testing

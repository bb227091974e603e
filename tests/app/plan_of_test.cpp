#include "ui/plan_of.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace sluice::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLive = R"(
name = "mixed"
summary = "Two kinds of work."
epochs = 3
[source]
name = "list"
kind = "range"
count = 100
capacity = 8
[[op]]
name = "decode"
kind = "synthetic"
burn = "1ms"
workers = 2
max_workers = 9
capacity = 4
[[op]]
name = "group"
kind = "batch"
size = 4
)";

constexpr const char* kSimulated = R"(
name = "gil"
duration = "1min"
[source]
name = "rows"
kind = "range"
count = 100
[[op]]
name = "decode"
kind = "synthetic"
burn = "1ms"
)";

class PlanOfTest : public testing::Test {
 protected:
  std::string File(const std::string& text) {
    const std::string file = testing::TempDir() + "plan_of_test.toml";
    std::ofstream(file) << text;
    return file;
  }
  static ui::Plan With(ui::Plan plan, const std::string& field, const std::string& value) {
    std::ranges::find(plan.fields, field, &ui::PlanField::name)->value = value;
    return plan;
  }
};

TEST_F(PlanOfTest, HasTheSettingsOfTheScenario) {
  const std::string file = File(kLive);
  const auto plan = PlanOf(file);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->name, "mixed");
  EXPECT_EQ(plan->summary, "Two kinds of work.");
  EXPECT_EQ(ui::WhatIsWrong(*plan), "");
  const auto workers = std::ranges::find(plan->fields, "decode.workers", &ui::PlanField::name);
  ASSERT_NE(workers, plan->fields.end());
  EXPECT_EQ(workers->value, "2");
  EXPECT_EQ(workers->range, (ui::KnobRange{1, 9}));
  EXPECT_NE(std::ranges::find(plan->fields, "list.capacity", &ui::PlanField::name), plan->fields.end());
}

TEST_F(PlanOfTest, ComesToTheOptionsOfWhatWasChanged) {
  const std::string file = File(kLive);
  ui::Plan plan = *PlanOf(file);
  EXPECT_THAT(ArgumentsOf(plan, "", false), ElementsAre("run", file));
  plan = With(With(With(plan, "decode.workers", "7"), "tuning", "off"), "duration", "30s");
  EXPECT_THAT(ArgumentsOf(plan, "", false),
              ElementsAre("run", file, "--no-tune", "--duration", "30s", "--set", "decode.workers=7"));
  EXPECT_THAT(ArgumentsOf(With(plan, "tuning", "advise"), "", false), testing::Contains("--advise"));
  EXPECT_EQ(CommandOf(With(plan, "record", "it's a run.sluice")),
            "sluice run " + file +
                " --no-tune --duration 30s --record 'it'\\''s a run.sluice' --set decode.workers=7");
}

TEST_F(PlanOfTest, PutsASecondControllerBesideASimulatedOne) {
  const std::string file = File(kSimulated);
  const auto plan = PlanOf(file);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->simulated);
  EXPECT_NE(BesideWhom(*plan), "") << "a published rule";
  const ui::Plan alone = With(*plan, "beside", "nobody");
  EXPECT_EQ(BesideWhom(alone), "");
  EXPECT_EQ(CommandOf(alone),
            "sluice sim " + file + " --controller sluice --record a.sluice && sluice ui a.sluice");
  const ui::Plan both = With(With(*plan, "beside", "mindspore"), "seed", "9");
  EXPECT_EQ(BesideWhom(both), "mindspore");
  EXPECT_THAT(ArgumentsOf(both, "x.sluice", true),
              ElementsAre("sim", file, "--controller", "mindspore", "--seed", "9", "--record", "x.sluice"));
  EXPECT_THAT(CommandOf(both), HasSubstr("&& sluice ui a.sluice b.sluice"));
}

TEST_F(PlanOfTest, OfWhatIsNoScenarioSaysWhatIsWrongAsEither) {
  EXPECT_THAT(PlanOf(File("name = 3\n")).error().message, HasSubstr("plan_of_test.toml:1: name"));
  EXPECT_THAT(PlanOf(File("duration = 3\n")).error().message,
              testing::AllOf(HasSubstr("neither"), HasSubstr("plan_of_test.toml:1")));
  EXPECT_THAT(PlanOf("/nonexistent.toml").error().message, HasSubstr("/nonexistent.toml"));
}

}  // namespace
}  // namespace sluice::app

#include "loop/agent.h"

#include <gtest/gtest.h>

#include "app/scripted.h"

namespace sluice::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class AgentTest : public testing::Test {
 protected:
  void Steps(int count) {
    for (int i = 0; i < count; ++i) agent_.Step();
  }

  ScriptedPlant plant_;
  ScriptedController controller_;
  Agent agent_{plant_, &controller_};
};

TEST_F(AgentTest, LooksOncePerStepAndDecidesOnWhatItSaw) {
  Steps(3);
  EXPECT_EQ(plant_.looks, 1 + 3) << "the first look is the constructor's";
  EXPECT_EQ(controller_.seen,
            (std::vector<MonoTime>{kRunStart + milliseconds(100), kRunStart + milliseconds(200),
                                   kRunStart + milliseconds(300)}));
}

TEST_F(AgentTest, AppliesEachDecisionOnceAndLogsIt) {
  controller_.script = {{}, Widen(1, 1, 2), {}};
  Steps(5);
  ASSERT_EQ(plant_.acted.size(), 1U);
  EXPECT_EQ(plant_.acted[0].changes, (std::vector<KnobChange>{{kDecodeWorkers, 1, 2}}));
  ASSERT_EQ(agent_.decisions().entries().size(), 1U);
  EXPECT_EQ(agent_.decisions().entries()[0].fate, Fate::kTrial);
  EXPECT_EQ(agent_.decisions().entries()[0].decision.at, kRunStart + milliseconds(200));
}

TEST_F(AgentTest, AControllerThatIsHeldSeesEveryKnobAsTheUsers) {
  agent_.Hold(true);
  Steps(1);
  EXPECT_EQ(controller_.holder, Holder::kUser);
  EXPECT_EQ(agent_.now().knobs[0].holder, Holder::kAuto) << "nobody else does";
  agent_.Hold(false);
  Steps(1);
  EXPECT_EQ(controller_.holder, Holder::kAuto);
}

TEST_F(AgentTest, LearnsTheFateOfAnEarlierDecision) {
  Decision later;
  later.outcomes = {{1, Fate::kRolledBack, Rate{4}}};
  controller_.script = {Widen(1, 1, 2), later};
  Steps(2);
  EXPECT_EQ(agent_.decisions().entries()[0].fate, Fate::kRolledBack);
  EXPECT_EQ(agent_.decisions().entries()[0].measured, Rate{4});
  EXPECT_EQ(plant_.acted.size(), 1U) << "an outcome changes no knob";
}

class UsersChangeTest : public AgentTest {
 protected:
  UsersChangeTest() {
    controller_.forecast = Forecast{.now = {.rate = Rate{20}}, .then = {.rate = Rate{30}}};
    plant_.rate = 20;
    Steps(50);
    Decision wide = Widen(9, 1, 4);
    wide.author = Author::kUser;
    agent_.Adopt(wide);
  }
  [[nodiscard]] const exporters::LoggedDecision& change() const { return agent_.decisions().entries()[0]; }
};

TEST_F(UsersChangeTest, IsToldWithWhatWasExpectedAndWhatCameOfIt) {
  EXPECT_EQ(change().decision.before, Rate{20});
  EXPECT_EQ(change().decision.predicted, Rate{30});
  EXPECT_EQ(change().fate, Fate::kKept);
  Steps(100);
  EXPECT_FALSE(change().measured) << "it is not in force yet";
  plant_.SetWorkers(4, 4);
  plant_.rate = 40;
  Steps(60);
  EXPECT_FALSE(change().measured) << "it has to settle";
  Steps(5);
  ASSERT_TRUE(change().measured);
  EXPECT_NEAR(change().measured->per_second, 40, 0.5);
  plant_.rate = 10;
  Steps(100);
  EXPECT_NEAR(change().measured->per_second, 40, 0.5) << "later has other reasons";
}

TEST_F(UsersChangeTest, ThatIsChangedAgainAtOnceWasNotMeasured) {
  plant_.SetWorkers(4, 4);
  Steps(20);
  controller_.script = {Widen(10, 4, 5)};
  Steps(100);
  EXPECT_FALSE(change().measured);
}

// What those who watch read, each as what it is about.
class AgentNewsTest : public AgentTest {
 protected:
  std::vector<std::string> NewsOf(const Decision& decision) {
    controller_.script = {decision};
    agent_.Step();
    std::vector<std::string> news;
    agent_.TellNews([&](MonoTime at, const std::string& json) {
      EXPECT_EQ(at, agent_.now().at);
      const auto entry = exporters::ParseDecisionJson(json);
      news.push_back(entry ? std::string(exporters::FateName(entry->fate)) : json.substr(0, 30));
    });
    return news;
  }
  static Decision Saying(Limit limit, std::optional<std::uint32_t> op, Decision decision = {}) {
    decision.verdict = {limit, op, "a sentence", {1}};
    return decision;
  }
};

TEST_F(AgentNewsTest, ADecisionIsToldWhenItIsMadeAndWhenItsFateIsKnown) {
  const std::vector<std::string> trial{"trial"}, rolled_back{"rolled back"}, nothing;
  EXPECT_EQ(NewsOf(Widen(1, 1, 2)), trial);
  EXPECT_EQ(NewsOf({}), nothing);
  Decision later;
  later.outcomes = {{1, Fate::kRolledBack, Rate{4}}};
  EXPECT_EQ(NewsOf(later), rolled_back);
  EXPECT_EQ(NewsOf({}), nothing);
}

TEST_F(AgentNewsTest, AVerdictIsToldOnceForEachLimit) {
  const std::vector<std::string> op{R"({"verdict":{"limit":"op","op":)"}, nothing;
  const std::vector<std::string> consumer{R"({"verdict":{"limit":"consumer")"};
  const std::vector<std::string> unknown{R"({"verdict":{"limit":"unknown",)"};
  EXPECT_EQ(NewsOf(Saying(Limit::kUnknown, {})), nothing) << "a run begins with that";
  EXPECT_EQ(NewsOf(Saying(Limit::kOp, 0)), op);
  EXPECT_EQ(NewsOf(Saying(Limit::kOp, 0)), nothing);
  EXPECT_EQ(NewsOf(Saying(Limit::kOp, 1)), op) << "another op";
  EXPECT_EQ(NewsOf(Saying(Limit::kConsumer, {})), consumer);
  EXPECT_EQ(NewsOf(Saying(Limit::kUnknown, {})), unknown);
}

TEST_F(AgentNewsTest, ADecisionComesBeforeTheVerdictOfItsMoment) {
  EXPECT_EQ(NewsOf(Saying(Limit::kOp, 0, Widen(1, 1, 2))),
            (std::vector<std::string>{"trial", R"({"verdict":{"limit":"op","op":)"}));
}

TEST_F(AgentTest, AdviceIsLoggedAsAdviceAndMovesNoWindow) {
  plant_.rate = 10;
  Decision advice = Widen(1, 1, 2);
  advice.advice = true;
  Steps(60);
  controller_.script = {advice};
  Steps(1);
  EXPECT_EQ(agent_.decisions().entries()[0].fate, Fate::kAdvised);
  EXPECT_EQ(agent_.LastWindow()->length, seconds(5)) << "nothing has changed, so the window is whole";
}

TEST_F(AgentTest, WithoutAControllerItOnlyWatches) {
  ScriptedPlant plant;
  plant.rate = 10;
  Agent watcher(plant, nullptr);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(watcher.Step().id, 0U);
  EXPECT_TRUE(plant.acted.empty());
  EXPECT_TRUE(watcher.LastWindow());
}

TEST_F(AgentTest, TheFirstWindowEndsWithTheFirstChange) {
  plant_.rate = 10;
  Steps(15);
  controller_.script = {Widen(1, 1, 2)};
  Steps(1);
  plant_.rate = 100;
  Steps(40);
  EXPECT_NEAR(agent_.FirstWindow()->items->per_second, 10, 1);
  EXPECT_NEAR(agent_.LastWindow()->items->per_second, 100, 5);
}

TEST_F(AgentTest, AChangeThatComesSoonLeavesAShortFirstWindow) {
  plant_.rate = 20;
  Steps(2);
  controller_.script = {Widen(1, 1, 2)};
  Steps(1);
  plant_.rate = 100;
  Steps(40);
  ASSERT_TRUE(agent_.FirstWindow());
  EXPECT_EQ(agent_.FirstWindow()->length, milliseconds(300));
}

TEST_F(AgentTest, TheFirstWindowIsThreeSecondsWhereNothingChanges) {
  plant_.rate = 10;
  Steps(100);
  EXPECT_EQ(agent_.FirstWindow()->length, seconds(3));
}

TEST_F(AgentTest, TheLastWindowBeginsAfterTheLastChange) {
  plant_.rate = 10;
  Steps(50);
  controller_.script = {Widen(1, 1, 2)};
  Steps(1);
  plant_.rate = 50;
  Steps(20);
  EXPECT_EQ(agent_.LastWindow()->length, seconds(2));
  EXPECT_NEAR(agent_.LastWindow()->items->per_second, 50, 3);
}

TEST_F(AgentTest, ASlowConsumerHasLongerWindows) {
  plant_.rate = 0.4;
  Steps(1000);
  EXPECT_NEAR(agent_.FirstWindow()->items->per_second, 0.4, 0.05);
  EXPECT_NEAR(agent_.LastWindow()->items->per_second, 0.4, 0.05);
}

TEST_F(AgentTest, TheLastWindowIsOfTheTimeWithItems) {
  plant_.rate = 10;
  plant_.starved = 0;
  Steps(100);
  plant_.rate = 0;
  Steps(300);
  EXPECT_NEAR(agent_.LastWindow()->items->per_second, 10, 0.5) << "it validates";
  plant_.starved = 1;
  Steps(100);
  EXPECT_LT(agent_.LastWindow()->items->per_second, 2) << "it waits and nothing comes";
}

TEST_F(AgentTest, WithoutAnItemThereIsNoWindow) {
  Steps(100);
  EXPECT_FALSE(agent_.FirstWindow());
  EXPECT_FALSE(agent_.LastWindow());
}

TEST_F(AgentTest, ARunTooShortToMeasureHasNoWindow) {
  plant_.rate = 100;
  Steps(3);
  EXPECT_FALSE(agent_.FirstWindow());
  EXPECT_FALSE(agent_.LastWindow());
}

TEST_F(AgentTest, RemembersTenSecondsHoweverLongTheRun) {
  Steps(1000);
  EXPECT_EQ(agent_.now().at - agent_.Before(seconds(2)).at, seconds(2));
  EXPECT_LE(agent_.now().at - agent_.Before(seconds(60)).at, seconds(11));
  EXPECT_EQ(agent_.first().at, kRunStart) << "the start is kept for the report";
}

TEST_F(AgentTest, TheHistoryHasAValuePerHalfSecondAndForgetsAfterTwoMinutes) {
  plant_.rate = 10;
  plant_.starved = 0.25;
  Steps(101);
  ASSERT_EQ(agent_.starved_history().size(), 20U);
  EXPECT_NEAR(agent_.starved_history().back().value, 0.25, 0.01);
  Steps(2000);
  EXPECT_EQ(agent_.starved_history().size(), 240U);
}

TEST_F(AgentTest, TheLastLookSaysHowManyWorkersThereWere) {
  Steps(10);
  plant_.SetWorkers(0, 3);  // ended: its three workers are gone
  agent_.LookBack();
  EXPECT_EQ(agent_.now().ops[0].workers, 3);
  EXPECT_EQ(controller_.seen.size(), 10U) << "nothing is decided any more";
}

}  // namespace
}  // namespace sluice::app

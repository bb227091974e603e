#include "sim/sim_story.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/slow_op.h"
#include "sim/sim_result.h"
#include "sluice/evaluation/run_record.h"

namespace sluice::app {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

// Five seconds, and after three of them its consumer takes half as much.
simulator::SimScenario Slow() {
  simulator::SimScenario scenario = SlowOp(5s);
  simulator::SimEvent slower;
  slower.at = 3s;
  slower.step = 2;
  scenario.events = {slower};
  return scenario;
}

// Adds a worker after a second and calls it good a second later.
class OneMove final : public autotune::Controller {
 public:
  Decision Decide(const Snapshot& seen) override {
    Decision decision;
    ++ticks_;
    decision.verdict.limit = ticks_ < 10 ? Limit::kOp : Limit::kConsumer;
    if (ticks_ < 10) decision.verdict.op = 1;
    decision.verdict.sentence = std::to_string(ticks_);
    if (ticks_ == 5) {
      decision.id = 7;
      decision.changes = {{{KnobKind::kWorkers, 1}, 1, 2}};
      decision.before = {100};
      decision.predicted = {200};
    }
    if (ticks_ == 10) decision.outcomes = {{7, Fate::kKept, Rate{198}}};
    decision.at = seen.at;
    return decision;
  }

 private:
  int ticks_ = 0;
};

SimStory StoryOf(autotune::Controller& controller) {
  const simulator::SimScenario scenario = Slow();
  SimStory story(OptimaOf(simulator::Optima(scenario), scenario));
  (void)evaluation::RunSimulated(
      scenario, &controller, 1,
      [&](const Snapshot& seen, const Decision& decision) { story.See(seen, decision); });
  return story;
}

std::vector<exporters::StoryEntry> Told(autotune::Controller& controller) {
  return StoryOf(controller).entries();
}

TEST(SimStory, TellsVerdictsDecisionsOutcomesAndEventsInTheOrderOfTime) {
  OneMove controller;
  std::vector<exporters::StoryKind> kinds;
  Nanos before{0};
  for (const exporters::StoryEntry& entry : Told(controller)) {
    kinds.push_back(entry.kind);
    EXPECT_GE(entry.at, before);
    before = entry.at;
  }
  EXPECT_THAT(kinds, ElementsAre(exporters::StoryKind::kVerdict, exporters::StoryKind::kDecision,
                                 exporters::StoryKind::kOutcome, exporters::StoryKind::kVerdict,
                                 exporters::StoryKind::kEvent));
}

TEST(SimStory, MeasuresWhatWasThereBeforeADecision) {
  OneMove controller;
  const exporters::StoryEntry decision = Told(controller)[1];
  EXPECT_NEAR(decision.measured.rate.per_second, 100, 2);
  EXPECT_NEAR(decision.measured.optimum.per_second, 200, 1e-6);
  EXPECT_NEAR(decision.measured.cores.value_or(0), 1, 0.01);
  EXPECT_NEAR(decision.measured.starved.value_or(Fraction{}).value, 0.5, 0.02);
}

TEST(SimStory, TellsAVerdictOnceUntilAnotherLimitIsNamed) {
  OneMove controller;
  const auto entries = Told(controller);
  EXPECT_EQ(entries[0].decision.verdict.sentence, "1");
  EXPECT_EQ(entries[3].decision.verdict.sentence, "10");
}

TEST(SimStory, KnowsTheSettingsOfTheStart) {
  OneMove controller;
  const SimStory story = StoryOf(controller);
  const auto workers = std::ranges::find(story.start(), std::string("work.workers"), &Knob::name);
  ASSERT_NE(workers, story.start().end());
  EXPECT_EQ(workers->value, 1);
}

}  // namespace
}  // namespace sluice::app

#include "sim/sim_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sluice/evaluation/controllers.h"
#include "sluice/evaluation/figures.h"

namespace sluice::app {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

simulator::SimScenario Slow() {
  simulator::SimScenario scenario;
  scenario.name = "slow";
  simulator::SimOp list{.name = "list", .kind = simulator::SimKind::kRange};
  list.count = 100'000;
  simulator::SimOp work{.name = "work"};
  work.burn.mean = 10ms;
  scenario.ops = {list, work};
  scenario.consumer.step.mean = 5ms;
  scenario.duration = 20s;
  return scenario;
}

SimResult ResultOf(autotune::Controller& controller, const std::string& name) {
  const simulator::SimScenario scenario = Slow();
  evaluation::Yardstick yardstick =
      evaluation::MakeYardstick(scenario, simulator::ReachableOptima(scenario), 1);
  SimStory story(yardstick.optima);
  evaluation::RunRecord record = evaluation::RunSimulated(
      scenario, &controller, 1,
      [&](const Snapshot& seen, const Decision& decision) { story.See(seen, decision); });
  const evaluation::Scores scores = evaluation::Score(scenario, record, yardstick);
  const evaluation::Scores reachable = evaluation::Score(scenario, yardstick.reachable, yardstick);
  return {scenario, name, 1, std::move(story), std::move(record), std::move(yardstick), scores, reachable};
}

SimResult ResultOf(const std::string& name) {
  const auto controller = evaluation::MakeController(name, Slow(), 1);
  return ResultOf(**controller, name);
}

// Asks for a second worker at the first tick, says why, and calls it good at the tenth.
class OneMove final : public autotune::Controller {
 public:
  Decision Decide(const Snapshot&) override {
    Decision decision;
    if (++ticks_ == 10) decision.outcomes = {{1, Fate::kKept, Rate{199.5}}};
    if (ticks_ > 1) return decision;
    decision.id = 1;
    decision.changes = {{{KnobKind::kWorkers, 1}, 1, 2}};
    decision.because = "work is busy";
    decision.before = {100};
    decision.predicted = {200};
    return decision;
  }

 private:
  int ticks_ = 0;
};

constexpr const char* kTrace =
    "     0.2s  #1 work.workers 1 -> 2\n"
    "            measured 0 items/s, 0.00 of the optimum; 0 B buffered\n"
    "            because work is busy\n"
    "            predicted 200 items/s (+100 %)\n"
    "     2.0s  #1 kept, 199.5 items/s measured\n";

TEST(TraceText, TellsWhatWasMeasuredChangedAndWhyPredictedAndWhatBecameOfIt) {
  OneMove controller;
  exporters::TextStyle style;
  style.unicode = false;
  EXPECT_EQ(TraceText(ResultOf(controller, "one"), style), kTrace);
}

TEST(TraceText, SaysSoWhereNothingHappened) {
  EXPECT_THAT(TraceText(ResultOf("none"), {}), HasSubstr("nothing was changed and nothing was said"));
}

TEST(SummaryText, PutsTheRunBesideTheOptimumAndTheOracle) {
  OneMove controller;
  const std::string text = SummaryText(ResultOf(controller, "one"));
  EXPECT_THAT(text, HasSubstr("slow, controller one, seed 1\n"));
  EXPECT_THAT(text, HasSubstr("optimum from 0 s: 200 items/s, limited by the consumer, 2.00 cores\n"));
  EXPECT_THAT(text, HasSubstr("  setting         start     end  oracle\n"));
  EXPECT_THAT(text, HasSubstr("  work.workers        1       2       3\n"));
  for (const evaluation::Figure& figure : evaluation::Figures())
    EXPECT_THAT(text, HasSubstr("\n  " + std::string(figure.key) + " "));
}

TEST(SimJson, HasStorySettingsScoresAndTicks) {
  OneMove controller;
  const auto json = nlohmann::json::parse(SimJson(ResultOf(controller, "one")));
  EXPECT_EQ(json["format"], "sluice-simulation");
  EXPECT_EQ(json["format_version"], kSimFormatVersion);
  EXPECT_EQ(json["controller"], "one");
  EXPECT_EQ(json["ticks"].size(), 100u);
  ASSERT_EQ(json["story"].size(), 2u);
  EXPECT_EQ(json["story"][0]["decision"]["changes"][0]["knob"], "work.workers");
  EXPECT_EQ(json["story"][1]["outcome"]["fate"], "kept");
  EXPECT_GT(json["scores"]["final_share"], 0.95);
  EXPECT_TRUE(json["scores"]["shift_seconds"].is_null());
  EXPECT_EQ(json["optimum"][0]["limit"], "consumer");
}

}  // namespace
}  // namespace sluice::app

#include "sim/sim_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/slow_op.h"
#include "sluice/evaluation/controllers.h"
#include "sluice/evaluation/figures.h"

namespace sluice::app {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

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

TEST(Simulate, ReportsWhatWasChangedWhatCameOfItAndTheOracleBesideIt) {
  OneMove controller;
  const exporters::SimReport report =
      Simulate(SlowOp(20s), ReachableOptima(SlowOp(20s)), controller, "one", 1);
  EXPECT_EQ(report.scenario, "slow");
  EXPECT_EQ(report.ticks.size(), 100u);
  EXPECT_GT(report.items, 3000u);
  EXPECT_GT(report.final_share, 0.95);
  ASSERT_EQ(report.story.size(), 2u);
  EXPECT_EQ(report.story[0].decision.changes[0].to, 2);
  EXPECT_EQ(report.story[1].outcome.fate, Fate::kKept);
  ASSERT_EQ(report.optima.size(), 1u);
  EXPECT_EQ(report.optima[0].limit, Limit::kConsumer);
  const auto row = std::ranges::find(report.settings, "work.workers", &exporters::SettingRow::name);
  ASSERT_NE(row, report.settings.end());
  EXPECT_EQ(row->start, 1);
  EXPECT_EQ(row->end, 2);
  EXPECT_EQ(row->oracle, 3);
  EXPECT_EQ(report.scores.size(), evaluation::Figures().size());
}

TEST(Simulate, ReportsNothingOfAControllerThatDoesNothing) {
  const auto controller = evaluation::MakeController("none", SlowOp(20s), 1);
  EXPECT_THAT(Simulate(SlowOp(20s), ReachableOptima(SlowOp(20s)), **controller, "none", 1).story, IsEmpty());
}

}  // namespace
}  // namespace sluice::app

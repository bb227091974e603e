#include "sluice/evaluation/run_record.h"

#include <gtest/gtest.h>

#include "evaluation/written_runs.h"
#include "sluice/evaluation/controllers.h"

namespace sluice::evaluation::testing {
namespace {

// Adds a worker to `work` at one second and says that it is the limit.
class AddsOne final : public autotune::Controller {
 public:
  Decision Decide(const Snapshot& seen) override {
    Decision decision;
    decision.verdict.limit = Limit::kOp;
    decision.verdict.op = 1;
    if (seen.at < std::chrono::seconds(1) || done_) return decision;
    done_ = true;
    decision.id = 1;
    decision.changes = {{{KnobKind::kWorkers, 1}, 1, 2}};
    decision.advice = advises_;
    return decision;
  }
  bool advises_ = false;

 private:
  bool done_ = false;
};

simulator::SimScenario TwentySeconds() {
  simulator::SimScenario scenario = Work();
  scenario.duration = std::chrono::seconds(20);
  scenario.consumer.step.mean = std::chrono::milliseconds(5);
  return scenario;
}

TEST(RunSimulated, RecordsWhatHappenedTickByTick) {
  AddsOne controller;
  const RunRecord run = RunSimulated(TwentySeconds(), &controller, 1);
  ASSERT_EQ(run.ticks.size(), 100u);
  EXPECT_NEAR(Seconds(run.ticks.back().at), 20, 1e-6);
  EXPECT_EQ(run.ticks[3].items, 20u);
  EXPECT_NEAR(run.ticks[3].core_seconds, 0.2, 1e-6);
  EXPECT_EQ(run.ticks[50].items, 40u);
  EXPECT_EQ(run.ticks[50].limit, Limit::kOp);
  EXPECT_EQ(run.ticks[50].limit_op, 1u);
  ASSERT_EQ(run.decisions.size(), 1u);
  EXPECT_NEAR(Seconds(run.decisions[0].at), 1, 1e-6);
  EXPECT_EQ(run.workers, (std::vector{1, 2}));
}

TEST(RunSimulated, LetsAdviceChangeNothing) {
  AddsOne controller;
  controller.advises_ = true;
  const RunRecord run = RunSimulated(TwentySeconds(), &controller, 1);
  EXPECT_TRUE(run.decisions.empty());
  EXPECT_EQ(run.workers[1], 1);
}

TEST(RunSimulated, ShowsAnObserverEveryTick) {
  int ticks = 0, changes = 0;
  AddsOne controller;
  (void)RunSimulated(TwentySeconds(), &controller, 1, [&](const Snapshot&, const Decision& decision) {
    ++ticks;
    changes += decision.changes.empty() ? 0 : 1;
  });
  EXPECT_EQ(ticks, 100);
  EXPECT_EQ(changes, 1);
}

TEST(RunSimulated, EndsWithTheLastEpoch) {
  simulator::SimScenario scenario = TwentySeconds();
  scenario.ops[0].count = 300;
  scenario.epochs = 1;
  const RunRecord run = RunSimulated(scenario, nullptr, 1);
  EXPECT_LT(run.ticks.back().at, std::chrono::seconds(4));
}

TEST(RunSimulated, CountsKilledRunsAndMemoryOverTheBudget) {
  simulator::SimScenario scenario = TwentySeconds();
  scenario.ops[0].allocate = {1'000'000};
  scenario.ops[0].capacity = 100;
  scenario.memory = {20'000'000};
  scenario.machine.memory = {40'000'000};
  scenario.machine.restart = std::chrono::seconds(5);
  const RunRecord run = RunSimulated(scenario, nullptr, 1);
  EXPECT_GE(run.ooms, 2);
  double most = 0;
  for (const RunTick& tick : run.ticks) most = std::max(most, tick.memory_share);
  EXPECT_GT(most, 1.9);
}

}  // namespace
}  // namespace sluice::evaluation::testing

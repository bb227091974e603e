#include "tallies.h"

#include <gtest/gtest.h>

namespace sluice::evaluation {
namespace {

using Op = std::optional<std::uint32_t>;

simulator::SimScenario ThreeOps() {
  simulator::SimScenario scenario;
  scenario.ops = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  return scenario;
}

bool Right(Limit said, Op op, Limit truth, Op true_op, const simulator::SimScenario& scenario = ThreeOps()) {
  RunTick tick;
  tick.limit = said;
  tick.limit_op = op;
  simulator::Optimum optimum;
  optimum.limit = truth;
  optimum.op = true_op;
  return Names(tick, optimum, scenario);
}

TEST(Names, ALimitThatIsAnOpIsOnlyRightWithThatOp) {
  for (const Limit limit : {Limit::kOp, Limit::kSerialOp, Limit::kContention}) {
    EXPECT_TRUE(Right(limit, 2, limit, 2));
    EXPECT_FALSE(Right(limit, 1, limit, 2));
    EXPECT_FALSE(Right(limit, std::nullopt, limit, 2));
    EXPECT_FALSE(Right(limit, 9, limit, 2));
  }
  EXPECT_FALSE(Right(Limit::kOp, 2, Limit::kSerialOp, 2));
  EXPECT_FALSE(Right(Limit::kContention, 2, Limit::kOp, 2));
}

TEST(Names, OtherLimitsNeedNoOp) {
  for (const Limit limit : {Limit::kConsumer, Limit::kCores, Limit::kMemory, Limit::kStorage}) {
    EXPECT_TRUE(Right(limit, std::nullopt, limit, 2));
  }
  EXPECT_FALSE(Right(Limit::kCores, std::nullopt, Limit::kConsumer, std::nullopt));
  EXPECT_FALSE(Right(Limit::kUnknown, std::nullopt, Limit::kConsumer, std::nullopt));
}

TEST(Names, ACapByShardsMayBeCalledByItsEffectButWithItsOp) {
  simulator::SimScenario scenario = ThreeOps();
  scenario.ops[1].shards = 2;
  for (const Limit said : {Limit::kOp, Limit::kSerialOp, Limit::kContention}) {
    EXPECT_TRUE(Right(said, 1, Limit::kOp, 1, scenario));
    EXPECT_FALSE(Right(said, 2, Limit::kOp, 1, scenario));
  }
  EXPECT_FALSE(Right(Limit::kStorage, 1, Limit::kOp, 1, scenario));
}

TEST(Names, ASharedLockMayBeCalledContentionInAnyOfItsOps) {
  simulator::SimScenario scenario = ThreeOps();
  scenario.ops[0].gil = scenario.ops[1].gil = true;
  EXPECT_TRUE(Right(Limit::kSerialOp, 1, Limit::kSerialOp, 1, scenario));
  EXPECT_TRUE(Right(Limit::kContention, 0, Limit::kSerialOp, 1, scenario));
  EXPECT_FALSE(Right(Limit::kContention, 2, Limit::kSerialOp, 1, scenario));
  EXPECT_FALSE(Right(Limit::kOp, 1, Limit::kSerialOp, 1, scenario));
}

TEST(Cycles, SettingsOfSeveralKnobsAreComparedWhole) {
  RunRecord run;
  const auto change = [&](std::uint32_t op, std::int64_t from, std::int64_t to) {
    Decision decision;
    decision.changes = {{{KnobKind::kWorkers, op}, from, to}};
    run.decisions.push_back(decision);
  };
  for (std::int64_t n = 1; n < 9; ++n) {
    change(0, n, n + 1);
    change(1, n % 2, (n + 1) % 2);
  }
  EXPECT_FALSE(Cycles(run));
}

}  // namespace
}  // namespace sluice::evaluation

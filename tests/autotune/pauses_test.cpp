#include "observe/pauses.h"

#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

// Ticks of 0.2 s; the pipeline makes its item in the tick in which one is taken.
class SlowConsumer : public ::testing::Test {
 protected:
  Interval Tick(double taken) {
    now_ += std::chrono::milliseconds(200);
    Interval i;
    i.state = taken > 0 ? Cleanliness::kClean : Cleanliness::kPaused;
    i.at = now_;
    i.seconds = 0.2;
    i.ops.resize(1);
    i.ops[0].items = taken;
    i.ops[0].busy = taken > 0 ? 0.1 : 0;
    i.consumer_items = taken;
    i.consumer_busy = 0.2;
    pauses_.Fold(i);
    return i;
  }

  // A step of so many ticks; what the tick with the item became.
  Interval Step(int ticks) {
    for (int n = 1; n < ticks; ++n) EXPECT_EQ(Tick(0).state, Cleanliness::kPaused);
    return Tick(1);
  }

  MonoTime now_{0};
  Pauses pauses_;
};

TEST_F(SlowConsumer, StepsBelongToThePaceFromTheFirstOn) {
  for (int n = 0; n < 20; ++n) {
    const Interval step = Step(10);
    EXPECT_EQ(step.state, Cleanliness::kClean);
    EXPECT_NEAR(step.seconds, 2, 1e-9);
    EXPECT_NEAR(step.consumer_busy, 2, 1e-9);
    EXPECT_NEAR(step.ops[0].busy, 0.1, 1e-9);
  }
}

TEST_F(SlowConsumer, PausesDoNot) {
  for (int n = 0; n < 5; ++n) (void)Step(10);
  EXPECT_NEAR(Step(100).seconds, 0.2, 1e-9) << "it validated";
  EXPECT_NEAR(Step(10).seconds, 2, 1e-9);
}

TEST_F(SlowConsumer, OneThatIsFastStandsStillForAPauseOnly) {
  for (int n = 0; n < 20; ++n) (void)Tick(10);
  EXPECT_NEAR(Step(10).seconds, 0.2, 1e-9);
}

TEST_F(SlowConsumer, AnUnusualStepBecomesUsualWhenItComesAgain) {
  for (int n = 0; n < 9; ++n) (void)Step(10);
  EXPECT_NEAR(Step(50).seconds, 0.2, 1e-9);
  for (int n = 0; n < 5; ++n) (void)Step(50);
  EXPECT_NEAR(Step(50).seconds, 10, 1e-9);
}

TEST_F(SlowConsumer, AWarmUpIsNoStep) {
  EXPECT_NEAR(Step(100).seconds, 0.2, 1e-9);
}

TEST_F(SlowConsumer, WhatStoodStillBeforeAnEpochsTurnIsForgotten) {
  for (int n = 0; n < 5; ++n) (void)Step(10);
  for (int n = 0; n < 9; ++n) (void)Tick(0);
  Interval turn;
  turn.state = Cleanliness::kEpochTurn;
  turn.at = now_ += std::chrono::milliseconds(200);
  turn.seconds = 0.2;
  turn.ops.resize(1);
  pauses_.Fold(turn);
  EXPECT_EQ(turn.state, Cleanliness::kEpochTurn);
  EXPECT_NEAR(turn.seconds, 0.2, 1e-9);
  EXPECT_NEAR(Tick(1).seconds, 0.2, 1e-9);
}

}  // namespace
}  // namespace sluice::autotune

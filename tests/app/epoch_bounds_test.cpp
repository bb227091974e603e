// What EpochJudge lets the controller start and fetch ahead.
#include "app/judged_epochs.h"

namespace sluice::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(EpochJudgeTest, NoWorkerIsStartedThatTheRestOfTheEpochCannotRepay) {
  Started(1, seconds(1));
  Flow(10, milliseconds(200));
  Flow(10, milliseconds(200));
  EXPECT_EQ(Most(), 1);
}

TEST_F(EpochJudgeTest, ALongEpochRepaysDearWorkersAndAShortOneCheapOnes) {
  Started(1, seconds(1));
  outlook_.items = 100000;
  Flow(10, milliseconds(200));
  Flow(10, milliseconds(200));
  EXPECT_GT(Most(), 16);
}

TEST_F(EpochJudgeTest, CheapWorkersAreRepaidInAShortEpoch) {
  Started(1, milliseconds(1));
  Flow(10, milliseconds(200));
  Flow(10, milliseconds(200));
  EXPECT_GT(Most(), 16);
}

TEST_F(EpochJudgeTest, ALoopThatMakesABatchSoonerThanItWouldGetOneFromAWorkerGetsNone) {
  now_.knobs[0].takes_effect = TakesEffect::kNextEpoch;
  Set(0);
  outlook_ = {.items = 1'000'000, .start_cpu = milliseconds(1)};
  for (const std::uint64_t items : {50'000, 5'000}) {  // 0.2 and 2 ms each
    EpochJudge judge;
    std::swap(judge_, judge);
    Look();
    Flow(items, seconds(10));
    Flow(items, seconds(10));
    EXPECT_EQ(Most() > 0, items == 5'000);
  }
}

TEST_F(EpochJudgeTest, WhatStartingAWorkerTakesTheTrainerCountsAsWell) {
  Started(1, milliseconds(1));
  outlook_.start = seconds(1);
  Flow(10, milliseconds(200));
  Flow(10, milliseconds(200));
  EXPECT_EQ(Most(), 1);
}

TEST_F(EpochJudgeTest, NoMoreBatchesWaitThanAnEpochHas) {
  Look();
  EXPECT_EQ(MostCapacity(), 64) << "an epoch has 100";
  outlook_.items = 20;
  Look();
  EXPECT_EQ(MostCapacity(), 20);
  Set(1, 30);
  EXPECT_EQ(MostCapacity(), 30) << "those of the script stay";
}

TEST_F(EpochJudgeTest, NoMoreBatchesWaitThanALoopThatLeavesEarlyTakes) {
  Flow(10, seconds(1));
  ended_ = {1, seconds(1), milliseconds(100), 10, 1, Capacity()};
  ++now_.epoch;
  Look();
  EXPECT_EQ(MostCapacity(), 10);
  Flow(9, seconds(1));
  EXPECT_EQ(MostCapacity(), 10);
  Flow(1, seconds(1));
  EXPECT_EQ(MostCapacity(), 64) << "this time it goes on; the first one may have been a look at one batch";
}

TEST_F(EpochJudgeTest, AConsumerThatLacksNothingGetsNoWorkers) {
  Started(1, milliseconds(20));
  Flow(1, milliseconds(1));
  now_.consumer.busy += seconds(10);
  now_.at += seconds(10);
  Flow(10, milliseconds(1));
  Flow(10, milliseconds(1));
  EXPECT_EQ(Most(), 1);
}

// Half a second of CPU time per epoch, of which most is waiting.
TEST_F(EpochJudgeTest, WorkersThatEveryEpochStartsAnewTakeATenthOfItsCpuTime) {
  Started(1, milliseconds(20));
  for (int epoch = 0; epoch < 3; ++epoch) {
    now_.process_cpu += milliseconds(500);
    Epoch(milliseconds(600));
    Started(1, milliseconds(20));
  }
  now_.process_cpu += milliseconds(100);
  Flow(10, milliseconds(60));
  Flow(10, milliseconds(60));
  EXPECT_EQ(Most(), 1 + 2);
  EXPECT_FALSE(judge_.TooDearStart()) << "there is room";
  Set(3);
  Look();
  EXPECT_EQ(Most(), 3);
}

// 10 batches after a start of 1.4 s, 17 ms of CPU time each: the epoch of 400 takes 8.2 s of it.
TEST_F(EpochJudgeTest, TheScriptsOwnStartSaysNothingOfWhatBatchesTake) {
  outlook_.items = 400;
  Started(1, milliseconds(1400));
  now_.process_cpu += milliseconds(1400);
  for (int item = 0; item < 10; ++item) {
    now_.process_cpu += milliseconds(17);
    Flow(1, milliseconds(24));
  }
  EXPECT_EQ(Most(), 1) << "a tenth of that, and of the waiting, bears no such start";
}

TEST_F(EpochJudgeTest, WorkersThatAreStartedOnceTakeATenthOfTheRuns) {
  Started(1, milliseconds(20));
  for (int epoch = 0; epoch < 10; ++epoch) {
    now_.process_cpu += milliseconds(500);
    Epoch(milliseconds(600));
  }
  now_.process_cpu += milliseconds(100);
  Flow(10, milliseconds(60));
  Flow(10, milliseconds(60));
  EXPECT_GT(Most(), 3);
  EXPECT_FALSE(judge_.TooDearStart());
}

// Epochs of 5 s that take 0.3 s of CPU time: one of them bears no start of 2 s, the run soon does.
TEST_F(EpochJudgeTest, TheWaitingOfAllEpochsBearsWorkersThatLast) {
  Started(1, seconds(2));
  now_.process_cpu += seconds(2);
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(Most(), 1) << epoch;
    now_.process_cpu += milliseconds(300);
    Epoch(seconds(5));
  }
  EXPECT_EQ(Most(), 1) << "a tenth of 10 s and of as much to come, less the first start";
  for (int epoch = 0; epoch < 4; ++epoch) {
    now_.process_cpu += milliseconds(300);
    Epoch(seconds(5));
  }
  EXPECT_EQ(Most(), 1 + 2) << "60 s";
}

TEST_F(EpochJudgeTest, SaysWhatAWorkerWouldTakeThatIsTooDear) {
  Started(1, milliseconds(100));
  for (int epoch = 0; epoch < 3; ++epoch) {
    now_.process_cpu += milliseconds(500);
    Epoch(milliseconds(900));
    Started(1, milliseconds(100));
  }
  ASSERT_EQ(Most(), 1);
  ASSERT_TRUE(judge_.TooDearStart());
  EXPECT_NEAR(judge_.TooDearStart()->value, 0.2, 1e-9);
}

TEST_F(EpochJudgeTest, WaitingThatIsTenTimesAsLongAsTheStartsMayTakeMore) {
  Started(1, milliseconds(100));
  now_.process_cpu += milliseconds(1);
  Epoch(seconds(10));
  Started(1, milliseconds(100));
  now_.process_cpu += milliseconds(1);
  Flow(1, milliseconds(100));
  Flow(4, milliseconds(400));
  EXPECT_GE(Most(), 8);
}

// An endless sampler: as much is left of the epoch as has passed, and its starts are borne by all of it.
TEST_F(EpochJudgeTest, WhatWasWaitedBearsTheStartsThatCameBefore) {
  outlook_.items = 0;
  Started(1, milliseconds(100));
  Flow(10, seconds(1));
  Flow(10, seconds(1));
  Set(9);
  Started(8, milliseconds(100));
  for (int second = 0; second < 7; ++second) Flow(10, seconds(1));
  EXPECT_GE(Most(), 16);
  EXPECT_LE(Most(), 18);
}

}  // namespace
}  // namespace sluice::app

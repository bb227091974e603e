// What EpochJudge undoes, tries and tells.
#include "app/judged_epochs.h"

namespace sluice::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(EpochJudgeTest, UndoesASettingWhoseEpochsAreLongerAndDoesNotComeBackToIt) {
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Epoch(seconds(10));
  Set(16);
  Epoch(seconds(15));
  const Decision undo = judge_.Decide();
  ASSERT_EQ(undo.changes.size(), 1u);
  EXPECT_EQ(undo.changes[0].to, 1);
  EXPECT_FALSE(undo.because.empty());
  EXPECT_TRUE(judge_.Decide().changes.empty()) << "said once";
  Set(1);
  Look();
  EXPECT_LT(Most(), 16);
}

TEST_F(EpochJudgeTest, TheFirstWorkerIsTriedOnceWhereNoneIsBetter) {
  now_.knobs[0].takes_effect = TakesEffect::kNextEpoch;
  Set(0);
  EpochJudge judge;
  std::swap(judge_, judge);
  outlook_.start_cpu = milliseconds(1);
  Look();
  Epoch(seconds(10));
  Epoch(seconds(10));
  EXPECT_GT(Most(), 0);
  Set(1);
  Started(1, milliseconds(1));
  Epoch(seconds(15));
  Carry(judge_.Decide());
  ASSERT_EQ(now_.knobs[0].value, 0);
  for (int epoch = 0; epoch < 10; ++epoch) Epoch(seconds(10));
  EXPECT_EQ(Most(), 0);
}

TEST_F(EpochJudgeTest, TellsWhichWorkersWereTriedInVain) {
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Set(3);
  Started(3, milliseconds(1));
  Epoch(seconds(15));
  EXPECT_FALSE(judge_.TriedInVain()) << "they are there";
  Carry(judge_.Decide());
  ASSERT_TRUE(judge_.TriedInVain());
  EXPECT_EQ(judge_.TriedInVain()->workers, 3);
  EXPECT_TRUE(judge_.TriedInVain()->longer);
  EXPECT_TRUE(judge_.TriedInVain()->started_anew);
  Set(3);
  Look();
  EXPECT_FALSE(judge_.TriedInVain());
}

TEST_F(EpochJudgeTest, BatchesAheadThatWereUndoneAreNoWorkersTriedInVain) {
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Set(3);
  Started(3, milliseconds(1));
  Epoch(seconds(15));
  Carry(judge_.Decide());
  Started(1, milliseconds(1));
  Mixed(seconds(10));
  Set(1, 50);
  Started(1, milliseconds(1));
  Epoch(seconds(15));
  ASSERT_FALSE(judge_.Decide().changes.empty());
  ASSERT_TRUE(judge_.TriedInVain());
  EXPECT_EQ(judge_.TriedInVain()->workers, 3);
}

// What the script's own setting would take by an epoch of 100 items, of which each takes a worker 60 ms, and
// the loop 20 ms. The very first start takes `first_start`, those of more workers as much as Epoch() says.
class OwnCostsTest : public EpochJudgeTest {
 protected:
  double Own(std::int64_t own, Nanos queued = Nanos(0), Nanos first_start = milliseconds(100)) {
    EpochJudge judge;
    std::swap(judge_, judge);
    Set(own, 2);
    Look();
    Epoch(seconds(8), first_start);
    Set(4, 8);
    fetch_ = milliseconds(60);
    now_.consumer.busy += seconds(2);
    now_.ops[0].runnable = now_.ops[0].runnable.value_or(Nanos(0)) + queued;
    Epoch(seconds(4), milliseconds(400));
    return judge_.OwnByPresentCosts().value_or(-1);
  }
};

TEST_F(OwnCostsTest, OneWorkerIsTheLimit) {
  EXPECT_NEAR(Own(1), 0.061, 1e-9);
}

TEST_F(OwnCostsTest, ManyWorkersLeaveTheLoopAsTheLimit) {
  EXPECT_NEAR(Own(4), 0.021, 1e-9);
}

TEST_F(OwnCostsTest, WithoutWorkersTheLoopDoesEverything) {
  EXPECT_NEAR(Own(0), 0.08, 1e-9);
}

TEST_F(OwnCostsTest, WhatWorkersQueuedForCoresIsNotTheirCost) {
  EXPECT_NEAR(Own(1, seconds(2)), 0.041, 1e-9);
}

TEST_F(OwnCostsTest, ItsStartIsTheShorterOne) {
  EXPECT_NEAR(Own(1, Nanos(0), seconds(1)), 0.064, 1e-9);
}

// Epochs whose rows take less each time, of two workers in place of one.
class CheaperRowsTest : public EpochJudgeTest {
 protected:
  double Own(std::initializer_list<Nanos> rows, std::uint64_t starts_each_epoch) {
    Started(1, milliseconds(1));
    for (const Nanos each : rows) {
      fetch_ = each;
      Epoch(50 * each);
      Started(starts_each_epoch, milliseconds(1));
      Set(2);
    }
    return judge_.OwnByPresentCosts().value_or(-1);
  }
};

TEST_F(CheaperRowsTest, OfWorkersThatLastCountAsNothing) {
  EXPECT_NEAR(Own({milliseconds(80), milliseconds(70), milliseconds(60), milliseconds(50)}, 0), 0.001, 1e-9);
}

TEST_F(CheaperRowsTest, CountAsTheScriptsOwnWorkersHaveThem) {
  workers_ = {
      {.op = OpId{1}, .items = 100, .busy = seconds(100)}, {.op = OpId{0}}, {.op = OpId{0}, .number = 1}};
  Started(1, milliseconds(1));
  for (int epoch = 1; epoch <= 3; ++epoch) {
    fetch_ = milliseconds(40);
    workers_[1].items += 50;
    workers_[1].busy += 50 * milliseconds(30);
    workers_[2].items += 50;
    workers_[2].busy += 50 * milliseconds(50);
    Epoch(seconds(3));
    Set(2);
  }
  EXPECT_NEAR(judge_.OwnByPresentCosts().value_or(-1), 0.031, 1e-9);
}

TEST_F(CheaperRowsTest, OfWorkersThatLastCountAsNothingWhileMoreOfThemCome) {
  Started(1, milliseconds(1));
  for (int epoch = 0; epoch < 4; ++epoch) {
    fetch_ = milliseconds(80 - 10 * epoch);
    Epoch(seconds(3));
    Set(2 + epoch);
    Started(1, milliseconds(1));
  }
  EXPECT_NEAR(judge_.OwnByPresentCosts().value_or(-1), 0.001, 1e-9);
}

TEST_F(CheaperRowsTest, OfWorkersThatAreStartedAnewCountAsTheyAre) {
  EXPECT_NEAR(Own({milliseconds(80), milliseconds(70), milliseconds(60), milliseconds(50)}, 2), 0.051, 1e-9);
}

TEST_F(CheaperRowsTest, AreNoneWhereOnlyTheFirstEpochWasDear) {
  EXPECT_NEAR(Own({milliseconds(80), milliseconds(50), milliseconds(51), milliseconds(50)}, 0), 0.051, 1e-9);
}

TEST_F(EpochJudgeTest, WhileItUndoesNobodyElseTurnsTheKnobs) {
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Set(16);
  Epoch(seconds(15));
  ASSERT_FALSE(judge_.Decide().changes.empty());
  Snapshot seen = now_;
  judge_.Bound(seen);
  EXPECT_EQ(seen.knobs[0].holder, Holder::kUser);
}

TEST_F(EpochJudgeTest, AShorterEpochStays) {
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Set(4);
  Epoch(seconds(4));
  EXPECT_TRUE(judge_.Decide().changes.empty());
  EXPECT_FALSE(judge_.Instead());
}

TEST_F(EpochJudgeTest, TriesTheScriptsOwnSettingWhereNoWholeEpochHasShownIt) {
  Set(1, 50);
  Epoch(seconds(10));
  Epoch(seconds(10));
  EXPECT_TRUE(judge_.Decide().changes.empty()) << "the first epoch warms up";
  Epoch(seconds(10));
  Carry(judge_.Decide());
  EXPECT_EQ(Capacity(), 2);
  EXPECT_TRUE(judge_.Trying());
  Epoch(seconds(9));
  const Decision stays = judge_.Decide();
  EXPECT_TRUE(stays.changes.empty()) << "it is the better one";
  EXPECT_FALSE(judge_.Trying());
  EXPECT_EQ(judge_.SecondsUnder({1, 2}), 0.09);
  EXPECT_EQ(judge_.SecondsUnder({1, 50}), 0.1);
  Epoch(seconds(10));
  EXPECT_TRUE(judge_.Decide().changes.empty()) << "once";
}

TEST_F(EpochJudgeTest, GoesBackWhereTheScriptsOwnEpochsAreLonger) {
  Set(1, 50);
  for (int epoch = 0; epoch < 3; ++epoch) Epoch(seconds(10));
  Carry(judge_.Decide());
  ASSERT_TRUE(judge_.Trying());
  EXPECT_EQ(judge_.Instead(), (EpochSetting{1, 50})) << "should the run end now";
  Epoch(seconds(15));
  Carry(judge_.Decide());
  EXPECT_EQ(Capacity(), 50);
  EXPECT_FALSE(judge_.Trying());
  Epoch(seconds(10));
  EXPECT_TRUE(judge_.Decide().changes.empty()) << "once";
}

TEST_F(EpochJudgeTest, NobodyTurnsAKnobWhileTheScriptsOwnSettingIsTried) {
  Set(1, 50);
  for (int epoch = 0; epoch < 3; ++epoch) Epoch(seconds(10));
  Carry(judge_.Decide());
  ASSERT_TRUE(judge_.Trying());
  Snapshot seen = now_;
  judge_.Bound(seen);
  EXPECT_EQ(seen.knobs[1].holder, Holder::kUser);
}

TEST_F(EpochJudgeTest, AGainIsEnjoyedForLongerBeforeItIsPutToTheTest) {
  Started(1, milliseconds(20));
  Epoch(seconds(10));
  Set(2);
  for (int epoch = 0; epoch < 7; ++epoch) {
    Started(2, milliseconds(20));
    Epoch(seconds(6));
  }
  EXPECT_TRUE(judge_.Decide().changes.empty());
  Epoch(seconds(6));
  EXPECT_FALSE(judge_.Decide().changes.empty());
}

// As where the first epoch read from storage what later ones find in memory.
TEST_F(EpochJudgeTest, WhereRowsHaveBecomeCheapTheScriptsOwnSettingIsTriedAtOnce) {
  Started(1, milliseconds(20));
  Flow(1, milliseconds(100));
  Flow(10, seconds(50));
  Set(8, 16);
  Started(7, milliseconds(20));
  Look();
  Flow(89, seconds(50));
  ended_ = {1, milliseconds(100100), milliseconds(100), 100, -1, 16};
  ++now_.epoch;
  Look();
  fetch_ = milliseconds(10);
  Started(8, milliseconds(20));
  Epoch(seconds(2));
  Carry(judge_.Decide());
  EXPECT_EQ(now_.knobs[0].value, 1);
  EXPECT_TRUE(judge_.Trying());
}

// The first epoch was half over when the change came.
TEST_F(EpochJudgeTest, CpuTimeThatTheScriptsOwnSettingWouldNotHaveTakenIsFound) {
  Flow(1, milliseconds(100));
  now_.process_cpu += seconds(2);
  Flow(49, seconds(5));
  Set(4);
  Look();
  now_.process_cpu += seconds(5);
  Flow(50, seconds(5));
  ended_ = {1, milliseconds(10100), milliseconds(100), 100, -1, 2};
  ++now_.epoch;
  Look();
  EXPECT_TRUE(judge_.Decide().changes.empty()) << "more workers may still save what the first ones cost";
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_TRUE(judge_.Decide().changes.empty()) << epoch;
    now_.process_cpu += seconds(7);
    Epoch(milliseconds(10100));
  }
  Carry(judge_.Decide());
  EXPECT_EQ(now_.knobs[0].value, 1) << "7 s instead of 4, for nothing";
}

// A worker saves a fifth of the time at 1.35 times the CPU time, as batches cost something on their way: the
// controller may start the next one before that is held against it.
TEST_F(EpochJudgeTest, WorkersAreNotTooDearBeforeTheControllerCouldStartMore) {
  Set(0, 1);
  judge_ = {};
  Look();
  for (int epoch = 0; epoch < 2; ++epoch) {
    now_.process_cpu += seconds(1);
    Epoch(milliseconds(3400));
  }
  Set(1, 2);
  Started(1, milliseconds(10));
  Look();
  now_.process_cpu += milliseconds(1350);
  Epoch(milliseconds(2750));
  EXPECT_TRUE(judge_.Decide().changes.empty());
  EXPECT_GT(Most(), 1) << "and it may";
  now_.process_cpu += milliseconds(1350);
  Epoch(milliseconds(2750));
  const Decision undone = judge_.Decide();
  ASSERT_FALSE(undone.changes.empty()) << "it did not";
  EXPECT_EQ(undone.changes.front().to, 0);
}

// The first epoch was at its tenth item when the change came, and then took half as long again.
class EstimatedOwnTest : public EpochJudgeTest {
 protected:
  EstimatedOwnTest() {
    Started(1, milliseconds(1));
    Flow(1, milliseconds(100));
    Flow(9, milliseconds(900));
    Set(2);
    Started(1, milliseconds(1));
    Look();
    Flow(90, milliseconds(14000));
    ended_ = {1, seconds(15), milliseconds(100), 100, -1, 2};
    ++now_.epoch;
    Look();
    Carry(judge_.Decide());
    EXPECT_EQ(now_.knobs[0].value, 1);
  }
};

TEST_F(EstimatedOwnTest, AnUndoingByTheFirstItemsIsATrialOfTheScriptsOwnSetting) {
  EXPECT_TRUE(judge_.Trying());
  EXPECT_FALSE(judge_.TriedInVain()) << "nobody knows yet";
  EXPECT_EQ(judge_.Instead(), (EpochSetting{1, 2})) << "should the run end now";
}

TEST_F(EstimatedOwnTest, GoesBackWhereAWholeEpochRefutesTheFirstItems) {
  Epoch(seconds(15));
  Carry(judge_.Decide());
  EXPECT_EQ(now_.knobs[0].value, 2);
  EXPECT_FALSE(judge_.Trying());
  EXPECT_EQ(Most(), 64) << "nothing is closed";
  EXPECT_FALSE(judge_.TriedInVain());
}

TEST_F(EstimatedOwnTest, StaysWhereAWholeEpochBearsThemOut) {
  Epoch(seconds(10));
  EXPECT_TRUE(judge_.Decide().changes.empty());
  EXPECT_FALSE(judge_.Trying());
  ASSERT_TRUE(judge_.TriedInVain());
  EXPECT_TRUE(judge_.TriedInVain()->longer);
  EXPECT_FALSE(judge_.TriedInVain()->started_anew) << "both were started once";
  EXPECT_EQ(judge_.Instead(), std::nullopt);
}

TEST_F(EpochJudgeTest, WhatAUserHoldsIsNotTried) {
  Set(1, 50);
  now_.knobs[1].holder = Holder::kUser;
  for (int epoch = 0; epoch < 4; ++epoch) Epoch(seconds(10));
  EXPECT_TRUE(judge_.Decide().changes.empty());
}

TEST_F(EpochJudgeTest, ATrialThatSeesNoWholeEpochEnds) {
  Set(1, 50);
  for (int epoch = 0; epoch < 3; ++epoch) Epoch(seconds(10));
  Carry(judge_.Decide());
  ASSERT_TRUE(judge_.Trying());
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_TRUE(judge_.Decide().changes.empty());
    Leave();
  }
  Carry(judge_.Decide());
  EXPECT_EQ(Capacity(), 50);
}

TEST_F(EpochJudgeTest, MoreBatchesAheadThatSaveNothingAreUndone) {
  Epoch(seconds(10));
  Epoch(seconds(10));
  Set(1, 50);
  Epoch(seconds(10));
  EXPECT_TRUE(judge_.Decide().changes.empty());
  Epoch(seconds(10));
  Carry(judge_.Decide());
  EXPECT_EQ(Capacity(), 2);
  Snapshot seen = now_;
  judge_.Bound(seen);
  EXPECT_EQ(seen.knobs[1].max, 26) << "half of the way stays closed";
}

TEST_F(EpochJudgeTest, AfterAnUndoingNothingIsTriedForAsLongAgain) {
  const auto free = [&] {
    Snapshot seen = now_;
    judge_.Bound(seen);
    return seen.knobs[1].holder == Holder::kAuto;
  };
  Epoch(seconds(10));
  Epoch(seconds(10));
  Set(1, 50);
  Epoch(seconds(10));
  Epoch(seconds(10));
  Carry(judge_.Decide());
  for (int epoch = 0; epoch < 4; ++epoch) {
    EXPECT_FALSE(free()) << epoch;
    Epoch(seconds(10));
  }
  EXPECT_TRUE(free());
}

TEST_F(EpochJudgeTest, AnEpochThatItHasChangedSaysNothingOfEitherSetting) {
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Set(16);
  Started(16, milliseconds(1));
  Epoch(seconds(15));
  Carry(judge_.Decide());
  ASSERT_EQ(now_.knobs[0].value, 1);
  Started(1, milliseconds(1));
  Mixed(seconds(20));
  EXPECT_TRUE(judge_.Decide().changes.empty());
  Started(1, milliseconds(1));
  Mixed(seconds(20));
  EXPECT_FALSE(judge_.Decide().changes.empty()) << "changed by somebody else";
}

TEST_F(EpochJudgeTest, TellsHowMuchLongerTheVeryFirstStartTook) {
  Epoch(seconds(10), milliseconds(900));
  EXPECT_EQ(judge_.LongerFirstStart(), Nanos(0));
  Epoch(seconds(10), milliseconds(200));
  EXPECT_EQ(judge_.LongerFirstStart(), milliseconds(700));
  Epoch(seconds(10), milliseconds(1000));
  EXPECT_EQ(judge_.LongerFirstStart(), Nanos(0));
}

TEST_F(EpochJudgeTest, TheNextRunBeginsWithTheShorterEpochs) {
  Started(1, milliseconds(1));
  Epoch(seconds(10));
  Set(16);
  Epoch(seconds(15));
  EXPECT_EQ(judge_.Instead(), (EpochSetting{1, 2}));
}

}  // namespace
}  // namespace sluice::app

#include "epochs/epoch_log.h"

#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using namespace std::chrono_literals;

Snapshot At(std::uint64_t epoch, std::uint64_t items, Nanos busy, Nanos starved) {
  Snapshot seen;
  seen.epoch = epoch;
  seen.consumer = {.items = items, .rows = items, .busy = busy, .starved = starved};
  return seen;
}

TEST(EpochLog, KnowsWhatEachEpochTook) {
  EpochLog log;
  log.Add(At(0, 0, 0s, 0s));
  log.Add(At(0, 90, 4s, 1s));
  log.Add(At(1, 110, 5s, 1s));
  log.Add(At(1, 200, 7s, 1s));
  log.End();
  ASSERT_EQ(log.epochs().size(), 2u);
  EXPECT_DOUBLE_EQ(log.epochs()[0].batches, 100);
  EXPECT_EQ(log.epochs()[0].active, 5500ms);
  EXPECT_EQ(log.epochs()[0].waits, 1s);
  EXPECT_DOUBLE_EQ(log.epochs()[1].batches, 100);
  EXPECT_EQ(log.epochs()[1].active, 2500ms);
  EXPECT_TRUE(log.epochs()[0].whole && log.epochs()[1].whole);
}

TEST(EpochLog, AnEpochWhoseItemsAreKnownEndsAtItsLastOne) {
  EpochLog log;
  log.Add(At(0, 0, 0s, 0s));
  log.Add(At(0, 90, 4s, 1s));
  log.Add(At(1, 190, 6s, 1s), false, probes::EndedEpoch{.number = 1, .items = 100});
  log.Add(At(1, 195, 7s, 1s), false, probes::EndedEpoch{.number = 1, .items = 100});
  log.Add(At(2, 240, 8s, 1s), false, probes::EndedEpoch{.number = 3, .items = 3});  // not the one before
  log.End();
  ASSERT_EQ(log.epochs().size(), 3u);
  EXPECT_DOUBLE_EQ(log.epochs()[0].batches, 100);
  EXPECT_EQ(log.epochs()[0].active, 5200ms);
  EXPECT_DOUBLE_EQ(log.epochs()[1].batches, 117.5);
}

TEST(EpochLog, KnowsInWhichEpochTheSettingsChanged) {
  EpochLog log;
  log.Add(At(0, 0, 0s, 0s));
  log.Add(At(1, 100, 6s, 1s), false, probes::EndedEpoch{.number = 1, .items = 100, .workers = -1});
  log.Add(At(2, 200, 8s, 1s), false, probes::EndedEpoch{.number = 2, .items = 100, .workers = 2});
  log.End();
  ASSERT_EQ(log.epochs().size(), 2u);
  EXPECT_TRUE(log.epochs()[0].changed);
  EXPECT_FALSE(log.epochs()[1].changed);
}

// The script validates between its epochs, and it is looked at meanwhile.
TEST(EpochLog, AnEpochEndsAtItsLastItemAlsoWhereItIsSeenToHaveEndedBeforeTheNextBegins) {
  EpochLog log;
  log.Add(At(0, 0, 0s, 0s));
  log.Add(At(0, 100, 4s, 1s), false, probes::EndedEpoch{.number = 1, .items = 100});
  log.Add(At(1, 140, 6s, 1s), false, probes::EndedEpoch{.number = 1, .items = 100});
  log.End();
  ASSERT_EQ(log.epochs().size(), 2u);
  EXPECT_DOUBLE_EQ(log.epochs()[0].batches, 100);
  EXPECT_EQ(log.epochs()[0].active, 5s);
}

TEST(EpochLog, WhatWasNotSeenFromItsBeginningIsNotWhole) {
  EpochLog log;
  log.Add(At(3, 10, 1s, 0s));
  log.Add(At(4, 20, 2s, 0s));
  log.Add(At(6, 40, 4s, 0s));
  log.End();
  ASSERT_EQ(log.epochs().size(), 3u);
  EXPECT_FALSE(log.epochs()[0].whole);
  EXPECT_TRUE(log.epochs()[1].whole);
  EXPECT_FALSE(log.epochs()[2].whole) << "epoch 5 is in it";
}

TEST(EpochLog, KnowsInWhichEpochsTheScriptsOwnSettingWasTried) {
  EpochLog log;
  log.Add(At(0, 90, 4s, 1s));
  log.Add(At(1, 110, 5s, 1s), true);
  log.Add(At(1, 190, 6s, 1s));
  log.Add(At(2, 210, 7s, 1s));
  log.End();
  ASSERT_EQ(log.epochs().size(), 3u);
  EXPECT_FALSE(log.epochs()[0].trial);
  EXPECT_TRUE(log.epochs()[1].trial) << "in part of it";
  EXPECT_FALSE(log.epochs()[2].trial);
}

TEST(EpochLog, AnEpochWithoutBatchesIsNone) {
  EpochLog log;
  log.Add(At(0, 0, 0s, 0s));
  log.End();
  EXPECT_TRUE(log.epochs().empty());
}

}  // namespace
}  // namespace sluice::app

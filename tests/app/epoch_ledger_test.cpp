#include "epochs/epoch_ledger.h"

#include <gtest/gtest.h>

namespace sluice::app {
namespace {

constexpr EpochSetting kOne{1, 2}, kFour{4, 2};

TEST(EpochLedger, KnowsNothingOfWhatItHasNotSeen) {
  EpochLedger ledger;
  EXPECT_FALSE(ledger.Best());
  ledger.Add(kOne, {0.1, 0}, false);
  EXPECT_FALSE(ledger.Worse(kOne)) << "there is nothing to compare it with";
  EXPECT_FALSE(ledger.Worse(kFour));
}

TEST(EpochLedger, ASettingWhoseEpochIsClearlyLongerIsWorseAtOnce) {
  EpochLedger ledger;
  ledger.Add(kOne, {0.1, 0}, false);
  ledger.Add(kFour, {0.2, 0}, false);
  const auto found = ledger.Worse(kFour);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->better, kOne);
  EXPECT_TRUE(found->longer);
  EXPECT_EQ(ledger.Best(), kOne);
  EXPECT_FALSE(ledger.Worse(kOne));
}

TEST(EpochLedger, ALittleLongerIsNoise) {
  EpochLedger ledger;
  ledger.Add(kFour, {0.1, 0}, false);
  ledger.Add(kOne, {0.103, 0}, false);
  EXPECT_FALSE(ledger.Worse(kOne));
}

TEST(EpochLedger, MoreWorkersHaveTwoEpochsToSaveSomething) {
  EpochLedger ledger;
  ledger.Add(kOne, {0.1, 0}, false);
  ledger.Add(kFour, {0.1, 0}, false);
  EXPECT_FALSE(ledger.Worse(kFour));
  ledger.Add(kFour, {0.1, 0}, false);
  EXPECT_TRUE(ledger.Worse(kFour));
  EXPECT_EQ(ledger.Best(), kOne) << "of equals the one with fewer workers";
}

TEST(EpochLedger, AnEstimateSaysNotThatSomethingSavesNothing) {
  EpochLedger ledger;
  ledger.Estimate(kOne, {0.1, 0});
  ledger.Add(kFour, {0.1, 0}, false);
  ledger.Add(kFour, {0.1, 0}, false);
  EXPECT_FALSE(ledger.Worse(kFour));
}

TEST(EpochLedger, CountsWholeEpochsAfterTheFirst) {
  EpochLedger ledger;
  EXPECT_EQ(ledger.Epochs(kOne), 0);
  ledger.Estimate(kOne, {0.1, 0});
  EXPECT_EQ(ledger.Epochs(kOne), 0);
  ledger.Add(kOne, {0.1, 0}, true);
  EXPECT_EQ(ledger.Epochs(kOne), 0);
  ledger.Add(kOne, {0.1, 0}, false);
  ledger.Add(kOne, {0.1, 0}, false);
  EXPECT_EQ(ledger.Epochs(kOne), 2);
}

TEST(EpochLedger, TheRunsFirstEpochCountsOnlyUntilThereIsAnother) {
  EpochLedger ledger;
  ledger.Add(kOne, {0.5, 0}, true);
  EXPECT_DOUBLE_EQ(ledger.Of(kOne)->seconds, 0.5);
  ledger.Add(kOne, {0.1, 0}, false);
  EXPECT_DOUBLE_EQ(ledger.Of(kOne)->seconds, 0.1);
}

TEST(EpochLedger, TimeThatCostsMoreOfTheCoresThanItSavesIsNotWorthIt) {
  EpochLedger ledger;
  ledger.Add(kOne, {0.10, 0.10}, false);
  ledger.Add(kFour, {0.09, 0.15}, false);
  const auto found = ledger.Worse(kFour);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->longer);
}

TEST(EpochLedger, TwiceTheCoresForAThirdOfTheTimeIsWorthIt) {
  EpochLedger ledger;
  ledger.Add(kOne, {0.10, 0.10}, false);
  ledger.Add(kFour, {0.03, 0.20}, false);
  EXPECT_FALSE(ledger.Worse(kFour));
  EXPECT_EQ(ledger.Best(), kFour);
}

TEST(EpochLedger, AWholeEpochReplacesAnEstimate) {
  EpochLedger ledger;
  ledger.Estimate(kOne, {0.3, 0});
  EXPECT_FALSE(ledger.Best()) << "no whole epoch was seen";
  EXPECT_TRUE(ledger.WorseAt(kFour, {0.4, 0}));
  ledger.Add(kOne, {0.1, 0}, false);
  ledger.Estimate(kOne, {0.3, 0});
  EXPECT_DOUBLE_EQ(ledger.Of(kOne)->seconds, 0.1);
}

}  // namespace
}  // namespace sluice::app

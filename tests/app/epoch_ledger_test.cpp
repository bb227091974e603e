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
  ledger.Estimate(kOne, {0.1, 0}, Fraction{0.5});
  ledger.Add(kFour, {0.1, 0}, false);
  ledger.Add(kFour, {0.1, 0}, false);
  EXPECT_FALSE(ledger.Worse(kFour));
}

TEST(EpochLedger, AnEstimateWeighsAsMuchAsItHasSeenOfTheEpoch) {
  for (const auto& [part, longer] : {std::pair(0.1, 1.1), std::pair(0.5, 1.05)}) {
    EpochLedger ledger;
    ledger.Estimate(kOne, {0.1, 0}, Fraction{part});
    EXPECT_FALSE(ledger.WorseAt(kFour, {0.1 * longer, 0})) << part;
    const auto worse = ledger.WorseAt(kFour, {0.12, 0});
    ASSERT_TRUE(worse) << part;
    EXPECT_TRUE(worse->estimated);
  }
}

TEST(EpochLedger, CpuTimeThatAnEstimateMayHaveMissedIsNotTooMuch) {
  EpochLedger ledger;
  ledger.Estimate(kOne, {0.1, 0.1}, Fraction{0.5});
  EXPECT_FALSE(ledger.WorseAt(kFour, {0.1, 0.125}));
  EXPECT_TRUE(ledger.WorseAt(kFour, {0.1, 0.135}));
  ledger.Add(kOne, {0.1, 0.1}, false);
  ASSERT_TRUE(ledger.WorseAt(kFour, {0.1, 0.125}));
  EXPECT_FALSE(ledger.WorseAt(kFour, {0.1, 0.125})->estimated);
}

TEST(EpochLedger, OfTwoSettingsOneStays) {
  EpochLedger ledger;
  ledger.Add(kOne, {0.034, 0.01}, false);
  ledger.Add(kFour, {0.0275, 0.0135}, false);
  ASSERT_TRUE(ledger.Worse(kFour)) << "it takes more of the cores than it saves of the time";
  EXPECT_FALSE(ledger.Worse(kOne)) << "although its epochs are longer";
  ledger.SetOwn(kFour);
  EXPECT_FALSE(ledger.Worse(kFour)) << "the script's own";
  ASSERT_TRUE(ledger.Worse(kOne)) << "longer than without us";
  EXPECT_EQ(ledger.Worse(kOne)->better, kFour);
}

TEST(EpochLedger, CountsWholeEpochsAfterTheFirst) {
  EpochLedger ledger;
  EXPECT_EQ(ledger.Epochs(kOne), 0);
  ledger.Estimate(kOne, {0.1, 0}, Fraction{0.5});
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
  ledger.Estimate(kOne, {0.3, 0}, Fraction{0.5});
  EXPECT_FALSE(ledger.Best()) << "no whole epoch was seen";
  EXPECT_TRUE(ledger.WorseAt(kFour, {0.4, 0}));
  ledger.Add(kOne, {0.1, 0}, false);
  ledger.Estimate(kOne, {0.3, 0}, Fraction{0.5});
  EXPECT_DOUBLE_EQ(ledger.Of(kOne)->seconds, 0.1);
}

}  // namespace
}  // namespace sluice::app

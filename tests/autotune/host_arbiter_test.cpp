#include "sluice/autotune/host_arbiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::autotune {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

Claim Rank(int process, double workers, double own = 0) {
  return {.process = process, .active = true, .worker_cores = workers, .process_cores = own};
}

TEST(ShareCores, APipelineAloneMayUseEverything) {
  EXPECT_THAT(ShareCores(8, {Rank(1, 3, 1)}), ElementsAre(8));
}

TEST(ShareCores, WhatOneDoesNotNeedAnotherMayHave) {
  EXPECT_THAT(ShareCores(8, {Rank(1, 1, 0.5), Rank(2, 3, 0.5)}), ElementsAre(4.5, 6.5));
}

TEST(ShareCores, AFirstComerCannotStarveTheNext) {
  EXPECT_THAT(ShareCores(8, {Rank(1, 7.5), Rank(2, 0.5)}), ElementsAre(7.5, 4));
}

TEST(ShareCores, EightEqualRanksEndWithAnEvenShare) {
  const std::vector<Claim> ranks(8, Rank(1, 0.5));
  std::vector<Claim> apart = ranks;
  for (int i = 0; i < 8; ++i) apart[static_cast<std::size_t>(i)].process = i;
  EXPECT_THAT(ShareCores(4, apart), testing::Each(DoubleEq(0.5)));
}

TEST(ShareCores, ARestingLoaderIsOwedNothingAndTakesNothingFromTheOther) {
  std::vector<Claim> claims = {Rank(1, 2, 1), Rank(1, 0, 1)};
  claims[1].active = false;
  EXPECT_DOUBLE_EQ(ShareCores(4, claims)[0], 4) << "the trainer's own core counts once";
}

TEST(ShareMemory, TheTrainerItselfIsTakenOff) {
  Claim claim = Rank(1, 1);
  claim.held = {300};
  EXPECT_THAT(ShareMemory({1000}, {800}, {claim}), ElementsAre(Bytes{500}));
}

TEST(ShareMemory, NobodyGetsWhatAnotherHolds) {
  Claim one = Rank(1, 1), other = Rank(2, 1);
  one.held = {600};
  other.held = {100};
  EXPECT_THAT(ShareMemory({1000}, {900}, {one, other}), ElementsAre(Bytes{700}, Bytes{200}));
}

TEST(ShareMemory, ARunThatIsOverItsLimitIsNotTakenForUnlimited) {
  EXPECT_THAT(ShareMemory({1000}, {5000}, {Rank(1, 1)}), ElementsAre(Bytes{1}));
}

}  // namespace
}  // namespace sluice::autotune

#include "sluice/base/machine_limits.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using std::chrono::seconds;

CpuQuota Quota(double cores, std::optional<Fraction> share) {
  return {.group = "cgroup /a", .bound = {cores, ""}, .use = {}, .throttled_share = share};
}

MachineLimits Limits(std::vector<CpuQuota> quotas) {
  MachineLimits limits;
  limits.cpus = 16;
  limits.quotas = std::move(quotas);
  return limits;
}

TEST(QuotaUse, OfTwoLooksIsTheDifference) {
  const auto use = UseBetween({10, 2, seconds(1)}, {30, 12, seconds(4)});
  ASSERT_TRUE(use);
  EXPECT_EQ(use->periods, 20);
  EXPECT_EQ(use->throttled, seconds(3));
  EXPECT_EQ(ThrottledShare(*use), Fraction{0.5});
}

TEST(QuotaUse, CountersThatBeganAnewDoNotCompare) {
  EXPECT_FALSE(UseBetween({10, 2, seconds(1)}, {9, 2, seconds(1)}));
  EXPECT_FALSE(UseBetween({10, 2, seconds(1)}, {11, 1, seconds(1)}));
  EXPECT_FALSE(UseBetween({10, 2, seconds(2)}, {11, 2, seconds(1)}));
}

TEST(QuotaUse, WithoutAPeriodThereIsNoShare) {
  EXPECT_FALSE(ThrottledShare({0, 0, seconds(0)}));
  EXPECT_FALSE(ThrottledShare({1, 2, seconds(0)})) << "more than there were";
}

TEST(ThrottlingQuota, IsTheOneThatHoldsBackMostOften) {
  const MachineLimits limits = Limits({Quota(2, Fraction{0.1}), Quota(4, Fraction{0.93}), Quota(8, {})});
  const CpuQuota* quota = ThrottlingQuota(limits);
  ASSERT_NE(quota, nullptr);
  EXPECT_EQ(ThrottledText(limits, *quota), "throttled by the cgroup quota: 4.0 of 16 cores");
}

TEST(ThrottlingQuota, IsNoneWhereItHardlyEverDoes) {
  EXPECT_EQ(ThrottlingQuota(Limits({Quota(2, Fraction{0.04}), Quota(2, {})})), nullptr);
  EXPECT_EQ(ThrottlingQuota(Limits({})), nullptr);
}

TEST(ThrottledText, NamesAQuotaOfLessThanATenthOfACore) {
  EXPECT_EQ(ThrottledText(Limits({}), Quota(0.25, Fraction{1})),
            "throttled by the cgroup quota: 0.25 of 16 cores");
}

}  // namespace
}  // namespace sluice

#include "machine/cgroup_limits.h"

#include <gtest/gtest.h>

namespace sluice::probes {
namespace {

std::optional<double> Cores(const std::optional<Quota>& quota) {
  return quota.transform([](const Quota& found) { return found.cores(); });
}

TEST(CgroupLimits, CpuMaxIsQuotaOverPeriod) {
  EXPECT_EQ(Cores(ParseCpuMax("150000 100000\n")), 1.5);
  for (const char* none : {"max 100000\n", "", "150000", "150000 0", "-5 100000"})
    EXPECT_FALSE(ParseCpuMax(none)) << none;
}

TEST(CgroupLimits, CfsQuotaMinusOneIsNoLimit) {
  EXPECT_EQ(Cores(ParseCfsQuota("50000\n", "100000\n")), 0.5);
  EXPECT_FALSE(ParseCfsQuota("-1\n", "100000\n"));
  EXPECT_FALSE(ParseCfsQuota("", ""));
}

TEST(CgroupLimits, AQuotaThatTheKernelWouldNotTakeIsNone) {
  for (const char* none :
       {"999 100000", "1 100000", "100000 999", "100000 1000001", "100000 9223372036854775807",
        "9223372036854775808 100000", "150000 100000 7", "1e5 100000"})
    EXPECT_FALSE(ParseCpuMax(none)) << none;
  EXPECT_EQ(Cores(ParseCpuMax("1000 1000000")), 0.001) << "the least there is";
}

TEST(CgroupLimits, WhatAQuotaDidIsToldWholeOrNotAtAll) {
  const auto use =
      ParseQuotaUse("usage_usec 5\nnr_periods 30\nnr_throttled 10\nthrottled_usec 7\nnr_bursts 0\n");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->periods, 30);
  EXPECT_EQ(use->throttled_periods, 10);
  EXPECT_EQ(use->throttled, std::chrono::microseconds(7));
  EXPECT_TRUE(ParseQuotaUse("nr_periods 3\nnr_throttled 1\nthrottled_time 1500\n"));
  for (const char* none : {"", "nr_periods 3\nnr_throttled 1\n", "nr_throttled 1\nthrottled_usec 7\n",
                           "nr_periods 3\nnr_throttled 4\nthrottled_usec 7\n",
                           "nr_periods -3\nnr_throttled -4\nthrottled_usec 7\n"})
    EXPECT_FALSE(ParseQuotaUse(none)) << none;
}

TEST(CgroupLimits, HugeMemoryLimitsAreNone) {
  EXPECT_EQ(ParseMemoryLimit("2147483648\n"), 2_GiB);
  for (const char* none : {"max\n", "9223372036854771712\n", "", "-1"})
    EXPECT_FALSE(ParseMemoryLimit(none)) << none;
}

TEST(CgroupLimits, ThrottledTimeHasAnotherUnitInEachVersion) {
  EXPECT_EQ(ParseThrottled("nr_periods 3\nnr_throttled 1\nthrottled_usec 1500\n"),
            std::chrono::microseconds(1500));
  EXPECT_EQ(ParseThrottled("nr_periods 3\nnr_throttled 1\nthrottled_time 1500\n"), Nanos(1500));
  EXPECT_FALSE(ParseThrottled("usage_usec 10\n"));
}

TEST(CgroupLimits, FilePagesAreOfTheWholeSubtree) {
  EXPECT_EQ(ParseFilePages("active_file 10\ninactive_file 5\n", true), Bytes{15});
  EXPECT_EQ(ParseFilePages("active_file 1\ntotal_inactive_file 7\ntotal_active_file 3\n", false), Bytes{10});
}

TEST(CgroupLimits, NumbersThatNoMachineHasAreMissing) {
  EXPECT_FALSE(ParseThrottled("throttled_usec 9223372036854775807\n"));
  EXPECT_FALSE(ParseThrottled("throttled_time -1\n"));
  EXPECT_EQ(ParseFilePages("inactive_file 9223372036854775807\nactive_file 7\n", true), Bytes{7});
}

}  // namespace
}  // namespace sluice::probes

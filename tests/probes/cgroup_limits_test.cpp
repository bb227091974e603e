#include "machine/cgroup_limits.h"

#include <gtest/gtest.h>

namespace sluice::probes {
namespace {

TEST(CgroupLimits, CpuMaxIsQuotaOverPeriod) {
  EXPECT_EQ(ParseCpuMax("150000 100000\n"), 1.5);
  for (const char* none : {"max 100000\n", "", "150000", "150000 0", "-5 100000"})
    EXPECT_FALSE(ParseCpuMax(none)) << none;
}

TEST(CgroupLimits, CfsQuotaMinusOneIsNoLimit) {
  EXPECT_EQ(ParseCfsQuota("50000\n", "100000\n"), 0.5);
  EXPECT_FALSE(ParseCfsQuota("-1\n", "100000\n"));
  EXPECT_FALSE(ParseCfsQuota("", ""));
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

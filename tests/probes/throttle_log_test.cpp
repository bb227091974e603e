#include "live/throttle_log.h"

#include <gtest/gtest.h>

namespace sluice::probes {
namespace {

using std::chrono::seconds;

class ThrottleLogTest : public testing::Test {
 protected:
  // The share that is told at that second of a group that has run in so many periods.
  std::optional<Fraction> Look(int second, std::uint64_t periods, std::uint64_t throttled,
                               const char* group = "cgroup /a") {
    std::vector<CpuQuota> quotas{{.group = group,
                                  .bound = {2, ""},
                                  .use = QuotaUse{periods, throttled, seconds(throttled)},
                                  .throttled_share = {}}};
    log_.Look(seconds(second), quotas);
    return quotas[0].throttled_share;
  }
  ThrottleLog log_;
};

TEST_F(ThrottleLogTest, ToldIsWhatHappenedSinceTheFirstLook) {
  EXPECT_FALSE(Look(0, 1000, 1000)) << "before it nobody looked";
  EXPECT_EQ(Look(1, 1010, 1005), Fraction{0.5});
  EXPECT_EQ(Look(2, 1020, 1005), Fraction{0.25});
}

TEST_F(ThrottleLogTest, WhatIsLongAgoIsForgotten) {
  for (int second = 0; second <= 20; ++second) static_cast<void>(Look(second, 10L * second, 10L * second));
  for (int second = 21; second < 30; ++second) static_cast<void>(Look(second, 10L * second, 200));
  EXPECT_EQ(Look(30, 300, 200), Fraction{0});
}

TEST_F(ThrottleLogTest, AGroupThatDidNotRunHasNoShare) {
  EXPECT_FALSE(Look(0, 10, 5));
  EXPECT_FALSE(Look(1, 10, 5));
}

TEST_F(ThrottleLogTest, AnotherGroupAndCountersThatBeginAnewHaveNoShareYet) {
  static_cast<void>(Look(0, 10, 5));
  EXPECT_FALSE(Look(1, 20, 10, "cgroup /b"));
  EXPECT_TRUE(Look(2, 30, 20, "cgroup /b"));
  EXPECT_FALSE(Look(3, 5, 5, "cgroup /b"));
  EXPECT_EQ(Look(4, 15, 10, "cgroup /b"), Fraction{0.5});
}

TEST_F(ThrottleLogTest, AQuotaThatDoesNotTellIsLeftAlone) {
  std::vector<CpuQuota> quotas(1);
  log_.Look(seconds(1), quotas);
  log_.Look(seconds(2), quotas);
  EXPECT_FALSE(quotas[0].throttled_share);
}

}  // namespace
}  // namespace sluice::probes

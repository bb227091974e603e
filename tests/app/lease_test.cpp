#include "control/lease.h"

#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using std::chrono::seconds;

constexpr MonoTime kNow = seconds(1000);

TEST(Lease, IsNobodysAtFirst) {
  const Lease lease;
  EXPECT_FALSE(lease.HolderAt(kNow));
  EXPECT_FALSE(lease.IsHeldBy("", kNow)) << "no token is none";
}

TEST(Lease, IsHeldByItsTokenAloneUntilItEnds) {
  Lease lease;
  lease.Grant("t", "alice", seconds(30), kNow);
  EXPECT_TRUE(lease.IsHeldBy("t", kNow));
  EXPECT_FALSE(lease.IsHeldBy("u", kNow));
  EXPECT_FALSE(lease.IsHeldBy("", kNow));
  ASSERT_TRUE(lease.HolderAt(kNow + seconds(10)));
  EXPECT_EQ(lease.HolderAt(kNow + seconds(10))->name, "alice");
  EXPECT_EQ(lease.HolderAt(kNow + seconds(10))->left, seconds(20));
  EXPECT_FALSE(lease.IsHeldBy("t", kNow + seconds(30)));
  EXPECT_FALSE(lease.HolderAt(kNow + seconds(30)));
}

TEST(Lease, LastsLongerWithEachUse) {
  Lease lease;
  lease.Grant("t", "alice", seconds(30), kNow);
  lease.Renew(kNow + seconds(20));
  EXPECT_TRUE(lease.IsHeldBy("t", kNow + seconds(49)));
  EXPECT_FALSE(lease.IsHeldBy("t", kNow + seconds(50)));
}

TEST(Lease, IsGivenBackByItsTokenOnly) {
  Lease lease;
  lease.Grant("t", "alice", seconds(30), kNow);
  lease.End("u");
  lease.End("");
  EXPECT_TRUE(lease.HolderAt(kNow));
  lease.End("t");
  EXPECT_FALSE(lease.HolderAt(kNow));
  EXPECT_FALSE(lease.IsHeldBy("t", kNow));
}

}  // namespace
}  // namespace sluice::app

#include "sluice/base/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace sluice {
namespace {

TEST(FromSeconds, WhatDoesNotFitIsTheNearestThatDoes) {
  EXPECT_EQ(FromSeconds(1.5), std::chrono::milliseconds(1500));
  EXPECT_EQ(FromSeconds(1e10), Nanos::max());
  EXPECT_EQ(FromSeconds(-1e10), Nanos::min());
  EXPECT_EQ(FromSeconds(std::numeric_limits<double>::infinity()), Nanos::max());
  EXPECT_EQ(FromSeconds(std::numeric_limits<double>::quiet_NaN()), Nanos(0));
}

TEST(Sum, StaysAtTheMostThereIs) {
  EXPECT_EQ(Sum(Nanos(2), Nanos(3)), Nanos(5));
  EXPECT_EQ(Sum(Nanos::max(), Nanos(1)), Nanos::max());
  EXPECT_EQ(Sum(Bytes{2}, Bytes{3}), Bytes{5});
  EXPECT_EQ(Sum(Bytes{5}, Bytes{std::numeric_limits<std::int64_t>::max()}).count,
            std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace sluice

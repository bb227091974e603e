#include "pace.h"

#include <gtest/gtest.h>

#include <array>

namespace sluice::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Pace, LetsAllPassWhereThereIsNoLimit) {
  Pace pace;
  EXPECT_FALSE(pace.limited());
  EXPECT_EQ(pace.Charge(seconds(10), MonoTime(1)), Nanos(0));
}

// Three workers with items of different length, on 0.75 cores.
TEST(Pace, HoldsSeveralWorkersToTheCoresTheyHaveTogether) {
  Pace pace;
  pace.Set(0.75);
  std::array<MonoTime, 3> free{};
  free.fill(MonoTime(seconds(1)));
  Nanos worked{0};
  for (int i = 0; worked < seconds(30); ++i) {
    auto& next = *std::ranges::min_element(free);
    const Nanos item = milliseconds(1 + i * 7 % 13);
    next += item;
    worked += item;
    next += pace.Charge(item, next);
  }
  const double took = Seconds(*std::ranges::min_element(free) - MonoTime(seconds(1)));
  EXPECT_NEAR(Seconds(worked) / took, 0.75, 0.01);
}

TEST(Pace, AShortBurstAfterIdlenessIsNotHeldUp) {
  Pace pace;
  pace.Set(0.5);
  EXPECT_EQ(pace.Charge(milliseconds(4), MonoTime(seconds(5))), Nanos(0)) << "4 of 5 ms that were saved up";
  EXPECT_EQ(pace.Charge(milliseconds(4), MonoTime(seconds(5))), Nanos(milliseconds(6)));
}

TEST(Pace, WhatWasNotTakenIsNotSavedUpForLong) {
  Pace pace;
  pace.Set(1);
  static_cast<void>(pace.Charge(milliseconds(1), MonoTime(seconds(1))));
  EXPECT_EQ(pace.Charge(milliseconds(110), MonoTime(seconds(100))), Nanos(milliseconds(100)));
}

TEST(Pace, FollowsALimitThatChanges) {
  Pace pace;
  pace.Set(1);
  static_cast<void>(pace.Charge(milliseconds(10), MonoTime(seconds(1))));
  pace.Set(0.25);
  EXPECT_EQ(pace.Charge(milliseconds(10), MonoTime(seconds(1))), Nanos(milliseconds(40)));
}

}  // namespace
}  // namespace sluice::runtime

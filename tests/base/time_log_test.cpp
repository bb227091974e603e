#include "sluice/base/time_log.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using namespace std::chrono_literals;

TEST(TimeLog, TellsHowFastASumGrew) {
  TimeLog log;
  for (int i = 0; i <= 10; ++i) log.Add(100s + i * 200ms, i * 50ms);
  EXPECT_DOUBLE_EQ(*log.Growth(100s, 102s), 0.25);
  EXPECT_DOUBLE_EQ(*log.Growth(99900ms, 102100ms), 0.25);
  EXPECT_FALSE(log.Growth(100s, 110s)) << "most of it was not seen";
  EXPECT_FALSE(log.Growth(50s, 60s));
  EXPECT_FALSE(log.Growth(101s, 101s));
}

TEST(TimeLog, RemembersTheBeginningAndTheEndOfALongRun) {
  TimeLog log;
  for (int i = 0; i < 5000; ++i) log.Add(i * 200ms, i * 20ms);
  EXPECT_DOUBLE_EQ(*log.Growth(0s, 3s), 0.1);
  EXPECT_DOUBLE_EQ(*log.Growth(990s, 999s), 0.1);
  EXPECT_FALSE(log.Growth(300s, 400s));
}

}  // namespace
}  // namespace sluice

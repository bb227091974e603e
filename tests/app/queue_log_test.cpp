#include "queue_log.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using namespace std::chrono_literals;

TEST(QueueLog, IsAShareOfTheTimeBetween) {
  QueueLog log;
  for (int i = 0; i <= 10; ++i) log.Add(100s + i * 200ms, i * 50ms);
  EXPECT_DOUBLE_EQ(log.Queued(100s, 102s)->value, 0.25);
  EXPECT_FALSE(log.Queued(100s, 110s)) << "most of it was not seen";
  EXPECT_FALSE(log.Queued(50s, 60s));
}

TEST(QueueLog, RemembersTheBeginningAndTheEndOfALongRun) {
  QueueLog log;
  for (int i = 0; i < 5000; ++i) log.Add(i * 200ms, i * 20ms);
  EXPECT_DOUBLE_EQ(log.Queued(0s, 3s)->value, 0.1);
  EXPECT_DOUBLE_EQ(log.Queued(990s, 999s)->value, 0.1);
}

TEST(QueueLog, SaysNothingWhereTheKernelDoesNot) {
  QueueLog log;
  log.Look(1s, 1, "/nonexistent");
  log.Look(2s, 1, "/nonexistent");
  EXPECT_FALSE(log.Queued(1s, 2s));
}

}  // namespace
}  // namespace sluice

#include "epochs/queue_log.h"

#include <gtest/gtest.h>

#include <string>

#include "probes/canned_tree.h"

namespace sluice::app {
namespace {

using namespace std::chrono_literals;

TEST(QueueLog, IsAShareOfTheTimeBetween) {
  probes::CannedTree proc;
  QueueLog log;
  for (int i = 0; i <= 2; ++i) {
    proc.Write("/proc/7/task/7/schedstat",
               std::to_string(10 * i) + " " + std::to_string(500'000'000 * i) + " 1");
    log.Look(101s + i * 1s, 7, proc.root());
  }
  EXPECT_DOUBLE_EQ(log.Queued(101s, 103s)->value, 0.5);
}

TEST(QueueLog, SaysNothingWhereTheKernelDoesNot) {
  QueueLog log;
  log.Look(1s, 1, "/nonexistent");
  log.Look(2s, 1, "/nonexistent");
  EXPECT_FALSE(log.Queued(1s, 2s));
}

}  // namespace
}  // namespace sluice::app

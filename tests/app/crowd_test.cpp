#include "loaders/crowd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

probes::WorkerThreads Worker(int threads, Nanos user = seconds(9), Nanos system = seconds(1)) {
  return {.threads = threads, .libraries = {"OpenBLAS"}, .user = user, .system = system};
}

TEST(Crowd, AThreadPerCoreAndWorkerIsTooMany) {
  const auto crowd = FindCrowd({Worker(11), Worker(11)}, 8, false);
  ASSERT_TRUE(crowd);
  EXPECT_EQ(crowd->workers, 2u);
  EXPECT_EQ(crowd->threads, 22);
  EXPECT_EQ(crowd->cores, 8);
  EXPECT_THAT(crowd->libraries, ElementsAre("OpenBLAS"));
  EXPECT_FALSE(crowd->in_kernel);
}

TEST(Crowd, ThreadsThatFightSpendTheirTimeInTheKernel) {
  const auto crowd =
      FindCrowd({Worker(11, seconds(1), seconds(3)), Worker(11, seconds(1), seconds(3))}, 8, true);
  ASSERT_TRUE(crowd && crowd->in_kernel);
  EXPECT_DOUBLE_EQ(crowd->in_kernel->value, 0.75);
  EXPECT_TRUE(crowd->limited);
}

TEST(Crowd, ThreadsThatWereLimitedAndIdleAreNone) {
  EXPECT_FALSE(FindCrowd({Worker(11), Worker(11)}, 8, true));
}

TEST(Crowd, AWorkersOwnThreadsAreNone) {
  EXPECT_FALSE(FindCrowd({Worker(3), Worker(3), Worker(3), Worker(4)}, 2, false));
  EXPECT_FALSE(FindCrowd({}, 2, false));
}

}  // namespace
}  // namespace sluice::app

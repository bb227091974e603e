#include "loaders/worker_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::app {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

WorkerThreads Worker(int threads, Nanos user = seconds(9), Nanos system = seconds(1)) {
  return {.threads = threads, .libraries = {"OpenBLAS"}, .user = user, .system = system};
}

TEST(WorkerThreads, NamesTheLibrariesThatBringThreads) {
  EXPECT_THAT(ThreadedLibraries("7f00-7f01 r-xp 0 08:01 1 /usr/lib/libgomp.so.1.0.0\n"
                                "7f02-7f03 r-xp 0 08:01 2 /x/numpy.libs/libopenblas64_p-r0-15028c96.3.21.so\n"
                                "7f04-7f05 r-xp 0 08:01 3 /usr/lib/libc.so.6\n"),
              ElementsAre("OpenBLAS", "OpenMP"));
}

TEST(WorkerThreads, AThreadPerCoreAndWorkerIsTooMany) {
  EXPECT_THAT(CrowdedThreads({Worker(11), Worker(11)}, 8, false),
              AllOf(HasSubstr("2 workers have 22 threads on 8 cores (OpenBLAS)"), HasSubstr("--tune-threads"),
                    Not(HasSubstr("kernel"))));
}

TEST(WorkerThreads, ThreadsThatFightSpendTheirTimeInTheKernel) {
  EXPECT_THAT(
      CrowdedThreads({Worker(11, seconds(1), seconds(3)), Worker(11, seconds(1), seconds(3))}, 8, false),
      HasSubstr("75% of their CPU time is the kernel's"));
}

TEST(WorkerThreads, AWorkersOwnThreadsAreNoCrowd) {
  EXPECT_EQ(CrowdedThreads({Worker(3), Worker(3), Worker(3), Worker(4)}, 2, false), "");
  EXPECT_EQ(CrowdedThreads({}, 2, false), "");
}

TEST(WorkerThreads, AreReadOfAProcess) {
  const auto here = ReadWorkerThreads(getpid());
  ASSERT_TRUE(here);
  EXPECT_GE(here->threads, 1);
  EXPECT_FALSE(ReadWorkerThreads(1, "/nowhere"));
  EXPECT_THAT(ReadThreadedLibraries(1, "/nowhere"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace sluice::app

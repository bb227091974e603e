#include "sluice/probes/worker_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::probes {
namespace {

using ::testing::ElementsAre;

TEST(WorkerThreads, NamesTheLibrariesThatBringThreads) {
  EXPECT_THAT(ThreadedLibraries("7f00-7f01 r-xp 0 08:01 1 /usr/lib/libgomp.so.1.0.0\n"
                                "7f02-7f03 r-xp 0 08:01 2 /x/numpy.libs/libopenblas64_p-r0-15028c96.3.21.so\n"
                                "7f04-7f05 r-xp 0 08:01 3 /usr/lib/libc.so.6\n"),
              ElementsAre("OpenBLAS", "OpenMP"));
}

TEST(WorkerThreads, AreReadOfAProcess) {
  const auto here = ReadWorkerThreads(getpid());
  ASSERT_TRUE(here);
  EXPECT_GE(here->threads, 1);
  EXPECT_FALSE(ReadWorkerThreads(1, "/nowhere"));
  EXPECT_THAT(ReadThreadedLibraries(1, "/nowhere"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace sluice::probes

#include "doctor/thread_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using std::chrono::seconds;
using testing::HasSubstr;

MeasuredProcess Process(int pid, Nanos user, Nanos system, std::uint64_t forced, int threads) {
  MeasuredProcess process{.pid = pid};
  process.toll = {
      .name = "python3", .user = user, .system = system, .switches = probes::Switches{10, forced}};
  process.threads = {.threads = threads, .libraries = {}, .user = user, .system = system};
  return process;
}

MeasuredRun RunOf(std::vector<MeasuredProcess> processes, double cores = 4) {
  return {.pid = 100, .program = "train.py", .processes = std::move(processes), .cores = cores};
}

TEST(ThreadChecks, WithoutAMeasuredRunNothingIsTold) {
  const auto checks = ThreadChecks({});
  ASSERT_EQ(checks.size(), 1);
  EXPECT_EQ(checks[0].state, State::kNote);
  EXPECT_THAT(checks[0].found, HasSubstr("not told"));
}

TEST(ThreadChecks, ARunThatComputesInPeaceIsFine) {
  const auto checks = ThreadChecks({RunOf({Process(100, seconds(95), seconds(5), 300, 3)})});
  ASSERT_EQ(checks.size(), 1);
  EXPECT_EQ(checks[0].state, State::kGood);
  EXPECT_EQ(checks[0].found, "train.py (100): 3 threads on 4 cores, 5% of the CPU time in the kernel");
}

TEST(ThreadChecks, MuchTimeInTheKernelIsSaidOnceThereIsEnoughTime) {
  const auto checks = ThreadChecks({RunOf({Process(100, seconds(4), seconds(6), 0, 3)})});
  EXPECT_EQ(checks.at(0).kind, "system_time");
  EXPECT_THAT(checks[0].found, HasSubstr("60% of its CPU time is the kernel's"));
  EXPECT_EQ(checks[0].evidence.at(0).from, "/proc/100/stat");
  const auto little = ThreadChecks({RunOf({Process(100, seconds(0), std::chrono::milliseconds(900), 0, 3)})});
  EXPECT_EQ(little.at(0).kind, "threads");
}

TEST(ThreadChecks, ThreadsOfLibrariesInWorkersAreNamedWithWhatLimitsThem) {
  MeasuredProcess worker = Process(101, seconds(10), seconds(1), 0, 19);
  worker.threads.libraries = {"OpenMP"};
  const auto checks = ThreadChecks({RunOf({Process(100, seconds(1), seconds(0), 0, 3), worker})});
  EXPECT_EQ(checks.at(0).kind, "library_threads");
  EXPECT_THAT(checks[0].found,
              HasSubstr("1 workers have 19 threads on 4 cores; OpenMP brings threads of its own"));
  EXPECT_THAT(checks[0].remedy, HasSubstr("OMP_NUM_THREADS=1"));
  EXPECT_THAT(checks[0].remedy, HasSubstr("cv2.setNumThreads(0)"));
  EXPECT_THAT(checks[0].costs, HasSubstr("a new start"));
}

TEST(ThreadChecks, ThreadsThatAreTakenOffTheirCoresAreCounted) {
  const auto own = ThreadChecks({RunOf({Process(100, seconds(10), seconds(0), 5000, 9)}, 2)});
  EXPECT_EQ(own.at(0).kind, "preemption");
  EXPECT_THAT(own[0].found, HasSubstr("500 times in a second on a core"));
  EXPECT_THAT(own[0].remedy, HasSubstr("sluice top 100"));
  const auto others = ThreadChecks({RunOf({Process(100, seconds(10), seconds(0), 5000, 2)}, 4)});
  EXPECT_THAT(others.at(0).found, HasSubstr("others' work is in the way"));
}

TEST(ThreadChecks, SwitchesThatAreHiddenAreNotFine) {
  MeasuredProcess process = Process(100, seconds(10), seconds(0), 0, 3);
  process.toll.switches.reset();
  const auto checks = ThreadChecks({RunOf({process})});
  EXPECT_EQ(checks.at(0).state, State::kNote);
  EXPECT_THAT(checks[0].found, HasSubstr("switches are not told"));
}

TEST(ThreadChecks, AProcessThatNearlyHasAllItsFilesOpenIsNamed) {
  MeasuredProcess process = Process(100, seconds(10), seconds(0), 0, 3);
  process.toll.files = 1000;
  process.toll.file_limit = 1024;
  const auto checks = ThreadChecks({RunOf({process})});
  ASSERT_EQ(checks.size(), 2);
  EXPECT_EQ(checks[1].kind, "run_open_files");
  EXPECT_EQ(checks[1].remedy, "prlimit --pid 100 --nofile=65536:");
  process.toll.files = 100;
  EXPECT_EQ(ThreadChecks({RunOf({process})}).size(), 1);
}

}  // namespace
}  // namespace sluice::app

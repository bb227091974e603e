#include "sluice/wrap/process_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <limits>

#include "probes/canned_tree.h"

namespace sluice::wrap {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const std::int64_t kTicks = sysconf(_SC_CLK_TCK);
const std::int64_t kPage = sysconf(_SC_PAGE_SIZE);

// One that this test may run on.
int OwnCpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  int cpu = 0;
  while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &set)) ++cpu;
  return cpu;
}

struct Fake {
  int pid = 0, parent = 1;
  std::int64_t user = 0, waited_user = 0;  // seconds
  std::int64_t pages = 10;
  std::int64_t start = 100;
  std::int64_t read = 0;
  std::string environment = "A=1";
  std::int64_t on_cpu = 1, runnable = 0;  // of its one thread
  std::string name = "p";
  std::optional<uid_t> runs_as{};  // that it runs as; nullopt: as we do
};

class ProcessTreeTest : public testing::Test {
 protected:
  void Put(const Fake& p) {
    const std::string folder = fmt::format("/proc/{}", p.pid);
    proc_.Write(folder + "/stat",
                fmt::format("{} ({} {}) S {} 0 0 0 0 0 0 0 2 0 {} 0 {} 0 20 0 1 0 {} 0 {} 0 0", p.pid, p.name,
                            p.pid, p.parent, p.user * kTicks, p.waited_user * kTicks, p.start, p.pages));
    proc_.Write(folder + "/environ", p.environment);
    const uid_t user = p.runs_as.value_or(geteuid());
    proc_.Write(folder + "/status", fmt::format("Name:\tp\nUid:\t0\t{}\t0\t0\n", user));
    proc_.Write(folder + "/io", fmt::format("rchar: {}\nwchar: 0\nread_bytes: 0\nwrite_bytes: 0\n", p.read));
    proc_.Write(folder + "/smaps_rollup",
                fmt::format("Pss: {} kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 0 kB\n", p.pages));
    proc_.Write(fmt::format("{}/task/{}/schedstat", folder, p.pid),
                fmt::format("{} {} 1\n", p.on_cpu, p.runnable));
  }
  void End(int pid) { proc_.Remove(fmt::format("/proc/{}", pid)); }
  void Sample() { tree_.Sample(at_ += 250ms); }

  probes::CannedTree proc_;
  ProcessTree tree_{100, "MARK=7", proc_.root()};
  MonoTime at_{0};
};

TEST_F(ProcessTreeTest, NamesAPythonThatLooksElsewhere) {
  ProcessTree tree(100, "MARK=7", proc_.root(), "/opt/inject");
  using std::string_literals::operator""s;
  Put({.pid = 100, .environment = "A=1\0MARK=7\0"s, .name = "sh"});
  Put({.pid = 101, .parent = 100, .environment = "A=1\0PYTHONPATH=/x:/opt/inject\0"s, .name = "python3"});
  tree.Sample(at_ += 250ms);
  EXPECT_EQ(tree.Use().pythons, 1);
  EXPECT_FALSE(tree.Use().stray);
  Put({.pid = 102, .parent = 100, .environment = "A=1\0XPYTHONPATH=/opt/inject\0"s, .name = "env"});
  tree.Sample(at_ += 250ms);
  EXPECT_FALSE(tree.Use().stray) << "no Python yet";
  Put({.pid = 102, .parent = 100, .environment = "A=1\0PYTHONPATH=/src\0"s, .name = "python3"});
  tree.Sample(at_ += 250ms);
  End(102);
  tree.Sample(at_ += 250ms);
  ASSERT_TRUE(tree.Use().stray);
  EXPECT_EQ(tree.Use().stray->pid, 102);
  EXPECT_EQ(tree.Use().pythons, 2);
}

TEST_F(ProcessTreeTest, NamesAPythonThatRunsAsAnotherUserAlsoFromLateOn) {
  const uid_t other = geteuid() + 7;
  Put({.pid = 100, .name = "sh", .runs_as = other});
  Put({.pid = 101, .parent = 100, .name = "python3"});
  Sample();
  EXPECT_FALSE(tree_.Use().stray);
  Put({.pid = 101, .parent = 100, .name = "python3", .runs_as = other});
  Sample();
  End(101);
  Sample();
  ASSERT_TRUE(tree_.Use().stray);
  EXPECT_EQ(tree_.Use().stray->pid, 101);
  EXPECT_EQ(tree_.Use().stray->user, static_cast<int>(other));
}

TEST_F(ProcessTreeTest, FollowsChildrenOfChildrenAndNobodyElse) {
  Put({.pid = 100});
  Put({.pid = 300, .parent = 200});
  Put({.pid = 200, .parent = 100});
  Put({.pid = 50, .parent = 300});  // pids have begun anew
  Put({.pid = 400, .parent = 1});
  Sample();
  EXPECT_THAT(tree_.Pids(), ElementsAre(50, 100, 200, 300));
}

TEST_F(ProcessTreeTest, FollowsAProcessWhoseParentHasGone) {
  Put({.pid = 100});
  Put({.pid = 200, .parent = 100});
  Sample();
  Put({.pid = 200, .parent = 1});
  Sample();
  EXPECT_THAT(tree_.Pids(), ElementsAre(100, 200));
}

TEST_F(ProcessTreeTest, KnowsByItsMarkAProcessThatItHasNeverSeenWithAParent) {
  Put({.pid = 100});
  Put({.pid = 200, .parent = 1, .environment = std::string("A=1\0MARK=7\0", 11)});
  Put({.pid = 201, .parent = 200});
  Put({.pid = 300, .parent = 1, .environment = "MARK=77"});
  Sample();
  EXPECT_THAT(tree_.Pids(), ElementsAre(100, 200, 201));
}

TEST_F(ProcessTreeTest, APidThatIsUsedAgainIsAnotherProcess) {
  Put({.pid = 100});
  Put({.pid = 200, .parent = 100, .user = 5});
  Sample();
  Put({.pid = 200, .parent = 1, .user = 70, .start = 999});
  Sample();
  EXPECT_THAT(tree_.Pids(), ElementsAre(100));
  EXPECT_EQ(tree_.Use().user, 5s);
}

TEST_F(ProcessTreeTest, KeepsWhatEndedProcessesHaveUsed) {
  Put({.pid = 100, .user = 1, .on_cpu = 10, .runnable = 1});
  Put({.pid = 200, .parent = 100, .user = 2, .on_cpu = 20, .runnable = 2});
  Sample();
  End(200);
  Put({.pid = 100, .user = 3, .on_cpu = 30, .runnable = 3});
  Sample();
  const TreeUse use = tree_.Use();
  EXPECT_EQ(use.processes, 2);
  EXPECT_EQ(use.most_processes, 2);
  EXPECT_EQ(use.user, 5s);
  EXPECT_EQ(use.major_faults, 4);
  EXPECT_EQ(use.scheduled, Nanos(50));
  EXPECT_EQ(use.runnable, Nanos(5));
}

TEST_F(ProcessTreeTest, CountsTheBytesOfAChildThatWasWaitedForOnce) {
  Put({.pid = 100, .read = 10});
  Put({.pid = 200, .parent = 100, .read = 1000});
  Put({.pid = 300, .parent = 200, .read = 500});
  Sample();
  End(300);
  End(200);
  Put({.pid = 100, .read = 1510});  // the kernel has charged it for both
  Sample();
  EXPECT_EQ(tree_.Use().read, Bytes{1510});
}

TEST_F(ProcessTreeTest, TellsWhoHadTheCores) {
  const auto machine = [&](int busy, int idle) {
    proc_.Write("/proc/stat", fmt::format("cpu 1 1 1 1\ncpu{} {} 0 0 {}\ncpu9999 7000 0 0 7000\n", OwnCpu(),
                                          busy * kTicks, idle * kTicks));
  };
  Put({.pid = 100, .user = 1});
  Put({.pid = 200, .parent = 100, .user = 5});
  Put({.pid = 300, .parent = 1, .user = 1, .environment = std::string("MARK=7\0", 7)});
  machine(50, 50);
  Sample();
  const MonoTime begin = at_;
  Put({.pid = 100, .user = 1, .waited_user = 6});  // the kernel has charged it for all of 200
  End(200);
  End(300);  // what it used after the last look is not known
  machine(54, 51);
  Sample();
  const auto use = tree_.Use().cores.Between(begin, at_);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->own, 1 / 0.25);
  EXPECT_DOUBLE_EQ(use->others, 3 / 0.25);
  EXPECT_DOUBLE_EQ(use->idle, 1 / 0.25);
  EXPECT_FALSE(tree_.Use().cores.Between(begin, at_ + 1h));
}

TEST_F(ProcessTreeTest, KeepsTheBytesOfAllWhenTheCommandItselfEnds) {
  Put({.pid = 100, .read = 10});
  Put({.pid = 200, .parent = 100, .read = 1000});
  Sample();
  End(200);
  End(100);
  Sample();
  EXPECT_EQ(tree_.Use().read, Bytes{1010});
}

TEST_F(ProcessTreeTest, TellsApartWhatNobodyInTheTreeCanWaitFor) {
  Put({.pid = 100, .user = 1, .waited_user = 4});
  Put({.pid = 200, .parent = 100, .user = 2});
  Put({.pid = 300, .parent = 200, .user = 7});
  Sample();
  EXPECT_EQ(tree_.Use().orphan_user, 0s);
  End(200);
  Put({.pid = 300, .parent = 1, .user = 8});
  Sample();
  EXPECT_EQ(tree_.Use().orphan_user, 8s);
  EXPECT_EQ(tree_.Use().waited_user, 5s);
}

// Whoever waited for them is an orphan itself in the end.
TEST_F(ProcessTreeTest, CountsWhatEndedBelowAnOrphanWithIt) {
  Put({.pid = 100, .user = 1});
  Put({.pid = 200, .parent = 100, .user = 2});
  Put({.pid = 300, .parent = 200, .user = 4});
  Put({.pid = 400, .parent = 300, .user = 8});
  Put({.pid = 500, .parent = 400, .user = 16});
  Sample();
  End(500);
  Sample();
  End(400);
  Sample();
  EXPECT_EQ(tree_.Use().orphan_user, 0s);
  End(200);
  Put({.pid = 300, .parent = 1, .user = 4});
  Sample();
  EXPECT_EQ(tree_.Use().orphan_user, 28s);
  Put({.pid = 600, .parent = 300, .user = 32});
  Sample();
  EXPECT_EQ(tree_.Use().orphan_user, 60s);
  End(600);
  Sample();
  End(300);
  Sample();
  EXPECT_EQ(tree_.Use().orphan_user, 60s);
  EXPECT_EQ(tree_.Use().user, 63s);
}

// A run whose epochs last seconds starts thousands of workers in an hour.
TEST_F(ProcessTreeTest, KeepsSumsOfWorkersThatHaveEndedAndTheBusiest) {
  Put({.pid = 100, .user = 1, .on_cpu = 1});
  Sample();
  for (int n = 0; n < 1000; ++n) {
    Fake worker{.pid = 1000 + n, .parent = 100, .user = n == 7 ? 9 : 2};
    Put(worker);
    Sample();
    worker.on_cpu = n == 7 ? 1 : 2000 - n;
    Put(worker);
    Sample();
    End(worker.pid);
  }
  Sample();
  const TreeUse use = tree_.Use();
  EXPECT_EQ(use.processes, 1001);
  EXPECT_EQ(use.user, std::chrono::seconds(1 + 999 * 2 + 9));
  EXPECT_EQ(use.busiest->pid, 1007);
  EXPECT_EQ(use.started.size(), 1001u);
  EXPECT_EQ(use.main_threads.size(), 101u);
  EXPECT_TRUE(use.main_threads.contains(100)) << "alive";
  EXPECT_TRUE(use.main_threads.contains(1000)) << "ran for longest";
  EXPECT_FALSE(use.main_threads.contains(1999));
}

TEST_F(ProcessTreeTest, RemembersTheLargestSums) {
  Put({.pid = 100, .pages = 10});
  Put({.pid = 200, .parent = 100, .pages = 50});
  Sample();
  tree_.SamplePss();
  End(200);
  Sample();
  tree_.SamplePss();
  EXPECT_EQ(tree_.Use().peak_rss, Bytes{60 * kPage});
  EXPECT_EQ(tree_.Use().peak_pss, Bytes{60 * 1024});
}

TEST_F(ProcessTreeTest, WhatTheKernelDoesNotSayIsMissing) {
  Put({.pid = 100, .on_cpu = 0});
  proc_.Write("/proc/100/task/100/schedstat", "0 0 0\n");
  proc_.Remove("/proc/100/io");
  proc_.Remove("/proc/100/smaps_rollup");
  Sample();
  tree_.SamplePss();
  const TreeUse use = tree_.Use();
  EXPECT_FALSE(use.runnable);
  EXPECT_FALSE(use.read);
  EXPECT_FALSE(use.peak_pss);
  EXPECT_FALSE(use.busiest);
}

TEST_F(ProcessTreeTest, SplitsTheMainThreadOfTheBusiestProcess) {
  Put({.pid = 100, .user = 1, .on_cpu = 5});
  Put({.pid = 200, .parent = 100, .user = 9, .on_cpu = 1000, .runnable = 10});
  Sample();
  Put({.pid = 200, .parent = 100, .user = 9, .on_cpu = 51'001'000, .runnable = 7'000'010});
  Sample();
  const auto main = tree_.Use().busiest;
  ASSERT_TRUE(main);
  EXPECT_EQ(main->pid, 200);
  EXPECT_EQ(main->name, "p 200");
  EXPECT_EQ(main->lived, 250ms);
  EXPECT_EQ(main->on_cpu, 51ms);
  EXPECT_EQ(main->runnable, 7ms);
}

// It is read a moment after the look began, and a command may live for no longer than that.
TEST_F(ProcessTreeTest, AMainThreadLivesAtLeastAsLongAsItRanAndQueued) {
  Put({.pid = 100, .user = 1, .on_cpu = 5});
  Sample();
  Put({.pid = 100, .user = 1, .on_cpu = 200'000'005, .runnable = 60'000'000});
  Sample();
  const auto main = tree_.Use().busiest;
  ASSERT_TRUE(main);
  EXPECT_EQ(main->lived, 260ms);
}

TEST_F(ProcessTreeTest, AbsurdNumbersAreAddedUpWithoutHarm) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (int pid = 100; pid < 160; ++pid) {
    Put({.pid = pid,
         .parent = 100,
         .user = kMost / kTicks,
         .waited_user = kMost / kTicks,
         .pages = kMost,
         .on_cpu = kMost / 8,
         .runnable = kMost / 8});
  }
  Sample();
  tree_.SamplePss();
  const TreeUse use = tree_.Use();
  EXPECT_EQ(use.user, Nanos::max());
  EXPECT_EQ(use.scheduled, Nanos::max());
  EXPECT_GT(use.peak_rss, Bytes{0});
  EXPECT_FALSE(use.peak_pss) << "no machine has so much";
}

}  // namespace
}  // namespace sluice::wrap

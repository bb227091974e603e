#include "ui/machine_look.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "sluice/base/clock.h"

namespace sluice::app {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

ThreadPlace Thread(int tid, std::string name, int cpu, Nanos on_cpu) {
  ThreadPlace thread;
  thread.tid = tid;
  thread.name = std::move(name);
  thread.last_cpu = cpu;
  thread.on_cpu = on_cpu;
  return thread;
}

ProcessPlace Process(int pid, std::vector<ThreadPlace> threads) {
  ProcessPlace process;
  process.pid = pid;
  process.threads = std::move(threads);
  return process;
}

TEST(CoresOf, SumsUpWhatRanOnEachSinceTheLastLook) {
  const std::vector<ProcessPlace> now{
      Process(10, {Thread(10, "train", 3, 5s), Thread(11, "decode/0", 0, 2500ms), Thread(12, "idle", 0, 1s)}),
      Process(20, {Thread(20, "worker", 0, 700ms)})};
  const auto cores = CoresOf(now, {{10, 4s}, {11, 2s}, {12, 1s}, {20, 500ms}}, 1s);
  ASSERT_EQ(cores.size(), 2u);
  EXPECT_EQ(cores[0].cpu, 0);
  EXPECT_DOUBLE_EQ(cores[0].used.value, 0.7);
  EXPECT_THAT(cores[0].threads, ElementsAre("decode/0", "worker (20)"));
  EXPECT_EQ(cores[1].cpu, 3);
  EXPECT_DOUBLE_EQ(cores[1].used.value, 1);
}

TEST(CoresOf, LeavesOutWhatIsNotKnown) {
  const std::vector<ProcessPlace> now{
      Process(10, {Thread(10, "new", 0, 1s), Thread(11, "nowhere", -1, 2s), Thread(12, "again", 1, 1s)})};
  EXPECT_THAT(CoresOf(now, {{11, 1s}, {12, 2s}}, 1s), IsEmpty()) << "12 is another thread of that number";
}

TEST(MachineLook, SeesTheThreadsOfALivingProcess) {
  MachineLook look(getpid());
  std::atomic<bool> ending = false;
  std::thread busy([&] {
    pthread_setname_np(pthread_self(), "burning");
    while (!ending) {
    }
  });
  EXPECT_FALSE(look.Take(MonoNow())) << "nothing to compare with";
  EXPECT_FALSE(look.seen());
  const MonoTime begin = MonoNow();
  const auto burns = [&] {
    if (!look.seen()) return false;
    for (const ui::CoreSeen& core : look.seen()->cores) {
      if (std::ranges::find(core.threads, "burning") != core.threads.end()) return true;
    }
    return false;
  };
  while (!burns() && MonoNow() - begin < 60s) look.Take(MonoNow());
  ending = true;
  busy.join();
  EXPECT_TRUE(burns());
}

}  // namespace
}  // namespace sluice::app

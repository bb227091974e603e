#include "sluice/probes/sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "probes/canned_tree.h"
#include "probes/segment_fixture.h"
#include "sluice/base/clock.h"
#include "sluice/base/machine_limits.h"
#include "sluice/probes/intervals.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

using segment::WorkerState;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kNow = seconds(1000);
constexpr int kTid = 77;

class SamplerTest : public testing::Test {
 protected:
  SamplerTest() {
    segment::Enter(slot_, WorkerState::kBusy, (kNow - milliseconds(100)).count());
    slot_.tid = kTid;
    WriteStat(writer_.header().start_ticks);
    tree_.Write(Process() + "/statm", "1000 250 30 1 0 100 0\n");
    tree_.Write(Process() + "/status", "Cpus_allowed_list:\t0-7\n");
    tree_.Write(Process() + "/cgroup", "0::/\n");
    tree_.Write("/proc/self/mountinfo", "30 20 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
    tree_.Write("/proc/stat",
                "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 0 1 300 100 0 0 0 0 0\ncpu1 1 0 1 300 0 0 0 0 0 0\n");
    tree_.Write("/proc/meminfo", "MemAvailable: 4194304 kB\n");
    tree_.Write("/cg/cpu.max", "400000 100000\n");
    tree_.Write("/cg/cpu.stat", "throttled_usec 9\n");
    WriteSched("60000000 15000000 3\n");
  }
  static std::string Process() { return "/proc/" + std::to_string(getpid()); }
  void WriteStat(std::uint64_t start_ticks) {
    tree_.Write(Process() + "/stat", std::to_string(getpid()) +
                                         " (a b) S 1 2 3 4 5 6 7 8 9 10 300 200 0 0 20 0 1 0 " +
                                         std::to_string(start_ticks) + " 0 0\n");
  }
  void WriteSched(const std::string& text) {
    tree_.Write(Process() + "/task/" + std::to_string(kTid) + "/schedstat", text);
  }
  Sampler Make(SamplerOptions options = {}) {
    options.root = tree_.root();
    return {*SegmentReader::Over(writer_.bytes()), options};
  }

  CannedTree tree_;
  SegmentWriter writer_{PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{2, Bytes{0}}};
  segment::WorkerSlot& slot_ = writer_.AddWorker(OpId{1});
};

TEST_F(SamplerTest, JoinsTheSegmentWithWhatTheKernelKnows) {
  const Snapshot seen = Make().Sample(kNow, Nanos(5));
  EXPECT_EQ(seen.ops[1].busy, milliseconds(100));
  EXPECT_EQ(seen.ops[1].on_cpu, milliseconds(60));
  EXPECT_EQ(seen.threads_cpu, milliseconds(60));
  EXPECT_EQ(seen.ops[1].runnable, milliseconds(15));
  EXPECT_EQ(seen.process_cpu, FromSeconds(500.0 / static_cast<double>(sysconf(_SC_CLK_TCK))));
  EXPECT_EQ(seen.rss, Bytes{sysconf(_SC_PAGESIZE) * 250});
  EXPECT_EQ(seen.throttled, std::chrono::microseconds(9));
  EXPECT_EQ(seen.budget, (Budget{4, 1_GiB})) << "a quarter of what is available";
}

TEST_F(SamplerTest, IdleIsCountedFromTheFirstLook) {
  // Of many cores, more since boot than nanoseconds hold.
  const auto idle = [&](const char* user, const char* io) {
    tree_.Write("/proc/stat", std::string("cpu0 1 0 1 ") + user + " " + io + " 0 0 0 0 0\n");
  };
  Sampler sampler = Make();
  idle("4000000000000", "100");
  EXPECT_EQ(sampler.Sample(kNow, Nanos(5)).idle, Nanos(0));
  idle("4000000000300", "500");
  EXPECT_EQ(sampler.Sample(kNow, Nanos(5)).idle, FromTicks(700)) << "waiting for storage is idle";
  idle("3999999999999", "0");
  EXPECT_EQ(sampler.Sample(kNow, Nanos(5)).idle, Nanos(0)) << "a core has gone";
}

TEST_F(SamplerTest, WhatTheUserGaveOverridesButNeverAddsCores) {
  SamplerOptions options;
  options.cores = 3;
  options.memory = 7_MiB;
  EXPECT_EQ(Make(options).Sample(kNow, Nanos(5)).budget, (Budget{3, 7_MiB}));
  options.cores = 64;
  EXPECT_EQ(Make(options).Sample(kNow, Nanos(5)).budget.cores, 4);
}

TEST_F(SamplerTest, TheRunsOwnMemoryLimitComesBeforeTheMachines) {
  writer_.header().memory_limit = 1000;
  EXPECT_EQ(Make().Sample(kNow, Nanos(5)).budget.memory, Bytes{1000});
}

TEST_F(SamplerTest, TheBudgetIsReadAgainAfterASecond) {
  Sampler sampler = Make();
  EXPECT_EQ(sampler.Sample(kNow, Nanos(5)).budget.cores, 4);
  tree_.Write("/cg/cpu.max", "200000 100000\n");
  EXPECT_EQ(sampler.Sample(kNow + milliseconds(999), Nanos(5)).budget.cores, 4);
  EXPECT_EQ(sampler.Sample(kNow + milliseconds(1000), Nanos(5)).budget.cores, 2);
}

TEST_F(SamplerTest, TheBudgetComesWithItsBoundsAndWhatAQuotaDidLately) {
  const auto use = [&](int periods, int throttled) {
    tree_.Write("/cg/cpu.stat", "nr_periods " + std::to_string(periods) + "\nnr_throttled " +
                                    std::to_string(throttled) + "\nthrottled_usec 9\n");
  };
  Sampler sampler = Make();
  use(100, 100);
  const Snapshot first = sampler.Sample(kNow, Nanos(5));
  ASSERT_TRUE(first.machine);
  EXPECT_EQ(first.machine->cores.front().origin, "cgroup /: cpu.max 400000 100000");
  EXPECT_EQ(ThrottlingQuota(*first.machine), nullptr) << "what was before nobody has seen";
  use(110, 109);
  const Snapshot second = sampler.Sample(kNow + seconds(1), Nanos(5));
  ASSERT_NE(ThrottlingQuota(*second.machine), nullptr);
  EXPECT_EQ(ThrottlingQuota(*second.machine)->throttled_share, Fraction{0.9});
  EXPECT_EQ(ThrottlingQuota(*first.machine), nullptr) << "a snapshot does not change";
}

TEST_F(SamplerTest, AKernelWithoutSchedstatLeavesTheCpuTimesOut) {
  tree_.Remove(Process() + "/task");
  const Snapshot seen = Make().Sample(kNow, Nanos(5));
  EXPECT_FALSE(seen.ops[1].on_cpu);
  EXPECT_FALSE(seen.ops[1].runnable);
  EXPECT_FALSE(seen.threads_cpu);
  EXPECT_EQ(seen.ops[1].busy, milliseconds(100));
}

TEST_F(SamplerTest, APidThatBelongsToSomebodyElseByNowIsNotAsked) {
  Sampler sampler = Make();
  const Snapshot alive = sampler.Sample(kNow, Nanos(5));
  WriteStat(writer_.header().start_ticks + 1);
  WriteSched("900000000 0 3\n");
  const Snapshot dead = sampler.Sample(kNow, Nanos(5));
  EXPECT_FALSE(dead.rss);
  EXPECT_EQ(dead.ops[1].on_cpu, alive.ops[1].on_cpu);
  EXPECT_EQ(dead.process_cpu, alive.process_cpu);
  EXPECT_EQ(dead.budget.cores, 4);
}

TEST(SamplerHere, MeasuresThisThread) {
  SegmentWriter writer(PrivateSegment(), SmallGraph(), SmallKnobs(), Budget{});
  auto& slot = writer.AddWorker(OpId{1});
  slot.tid = gettid();
  const MonoTime start = MonoNow();
  segment::Enter(slot, WorkerState::kBusy, start.count());
  Sampler sampler(*SegmentReader::Over(writer.bytes()), {});
  while (ReadClock(CLOCK_THREAD_CPUTIME_ID) < milliseconds(30) || MonoNow() - start < milliseconds(30)) {
  }
  const Snapshot seen = sampler.Sample(MonoNow(), WallNow());
  if (!seen.ops[1].on_cpu) GTEST_SKIP() << "this kernel has no schedstat";
  EXPECT_GT(*seen.ops[1].on_cpu, Nanos(0));
  EXPECT_LE(*seen.ops[1].on_cpu + *seen.ops[1].runnable, seen.ops[1].busy);
  EXPECT_GT(seen.process_cpu, Nanos(0));
  EXPECT_TRUE(seen.rss);
}

}  // namespace
}  // namespace sluice::probes

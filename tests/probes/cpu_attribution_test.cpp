#include "live/cpu_attribution.h"

#include <gtest/gtest.h>

#include <chrono>

namespace sluice::probes {
namespace {

using std::chrono::milliseconds;
using Sched = std::optional<SchedStat>;

WorkerThread Worker(std::uint32_t op, int tid, Nanos busy, Nanos helped = {}, Nanos helping = {}) {
  return {OpId{op}, tid, busy, helped, helping, false};
}

class CpuAttributionTest : public testing::Test {
 protected:
  void Update(const std::vector<WorkerThread>& threads, const std::vector<Sched>& sched) {
    cpu_.Update(threads, sched);
  }
  SchedStat Report(std::uint32_t op, Nanos busy = std::chrono::hours(1)) {
    return *cpu_.Report(OpId{op}, busy);
  }

  CpuAttribution cpu_{2};
};

TEST_F(CpuAttributionTest, AThreadThatHelpsNobodyGivesAllToItsOp) {
  Update({Worker(0, 10, milliseconds(100))}, {SchedStat{milliseconds(60), milliseconds(15)}});
  EXPECT_EQ(Report(0).on_cpu, milliseconds(60));
  EXPECT_EQ(Report(0).runnable, milliseconds(15));
}

TEST_F(CpuAttributionTest, HelpIsGivenToTheOpWhoseWorkItWas) {
  Update({Worker(0, 10, milliseconds(60), {}, milliseconds(20)),
          Worker(1, 11, milliseconds(20), milliseconds(20))},
         {SchedStat{milliseconds(80), milliseconds(0)}, SchedStat{Nanos(1000), Nanos(0)}});
  EXPECT_EQ(Report(0).on_cpu, milliseconds(60));
  EXPECT_EQ(Report(1).on_cpu, milliseconds(20));
}

TEST_F(CpuAttributionTest, AThreadThatHelpsKeepsOnlyItsOwnShare) {
  Update({Worker(0, 10, milliseconds(60), {}, milliseconds(20))},
         {SchedStat{milliseconds(40), milliseconds(8)}});
  EXPECT_EQ(Report(0).on_cpu, milliseconds(30));
  EXPECT_EQ(Report(0).runnable, milliseconds(6));
}

TEST_F(CpuAttributionTest, NeverMoreThanTheOpWasBusy) {
  Update({Worker(0, 10, milliseconds(10))}, {SchedStat{milliseconds(30), milliseconds(30)}});
  EXPECT_EQ(Report(0, milliseconds(10)).on_cpu, milliseconds(10));
  EXPECT_EQ(Report(0, milliseconds(10)).runnable, Nanos(0));
}

TEST_F(CpuAttributionTest, CountsWhatThreadsTakeBetweenItemsToo) {
  EXPECT_EQ(cpu_.threads_cpu(), std::nullopt);
  Update({Worker(0, 10, milliseconds(60), {}, milliseconds(20)), Worker(1, 11, milliseconds(5))},
         {SchedStat{milliseconds(90), milliseconds(0)}, SchedStat{milliseconds(7), milliseconds(0)}});
  EXPECT_EQ(cpu_.threads_cpu(), milliseconds(97));
  Update({Worker(0, 10, milliseconds(60)), Worker(1, 12, milliseconds(6))},
         {SchedStat{milliseconds(91), milliseconds(0)}, SchedStat{milliseconds(2), milliseconds(0)}});
  EXPECT_EQ(cpu_.threads_cpu(), milliseconds(100)) << "another thread in the second slot";
}

TEST_F(CpuAttributionTest, RemembersAThreadThatHasEnded) {
  Update({Worker(0, 10, milliseconds(100))}, {SchedStat{milliseconds(50), milliseconds(0)}});
  WorkerThread ended = Worker(0, 10, milliseconds(120));
  ended.retired = true;
  Update({ended}, {std::nullopt});
  EXPECT_EQ(Report(0).on_cpu, milliseconds(60)) << "the last 20 ms at the op's share so far";
}

TEST_F(CpuAttributionTest, ASlotThatTakesOverAThreadDoesNotInheritItsPast) {
  Update({Worker(0, 10, milliseconds(100))}, {SchedStat{milliseconds(100), milliseconds(0)}});
  WorkerThread ended = Worker(0, 10, milliseconds(100));
  ended.retired = true;
  Update({ended, Worker(1, 10, milliseconds(50))},
         {std::nullopt, SchedStat{milliseconds(130), milliseconds(0)}});
  EXPECT_EQ(Report(1).on_cpu, milliseconds(30));
}

TEST_F(CpuAttributionTest, AThreadThatWasNotReadableAtFirstIsCoveredLater) {
  Update({Worker(0, 0, milliseconds(10))}, {std::nullopt});
  Update({Worker(0, 10, milliseconds(40))}, {SchedStat{milliseconds(40), milliseconds(0)}});
  EXPECT_EQ(Report(0).on_cpu, milliseconds(40));
}

TEST_F(CpuAttributionTest, WithoutTheKernelsWordNothingIsSaid) {
  Update({Worker(0, 10, milliseconds(100), milliseconds(50))}, {std::nullopt});
  EXPECT_FALSE(cpu_.Report(OpId{0}, milliseconds(100)));
}

TEST_F(CpuAttributionTest, AnOpThatWasNeverBusyWasNeverOnACore) {
  EXPECT_EQ(Report(0, milliseconds(0)).on_cpu, milliseconds(0)) << "a start to subtract from later";
}

TEST_F(CpuAttributionTest, TotalsNeverFallWhenACounterDoes) {
  Update({Worker(0, 10, milliseconds(100))}, {SchedStat{milliseconds(80), milliseconds(20)}});
  const auto before = Report(0, milliseconds(100));
  Update({Worker(0, 10, milliseconds(90))}, {SchedStat{milliseconds(1), milliseconds(1)}});
  const auto after = Report(0, milliseconds(100));
  EXPECT_GE(after.on_cpu, before.on_cpu);
  EXPECT_GE(after.runnable, before.runnable);
}

}  // namespace
}  // namespace sluice::probes

#include "sluice/autotune/place_findings.h"

#include <gmock/gmock.h>

namespace sluice::autotune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = PlaceFinding::Kind;

// Two nodes of four cores with two threads each: cores 0 to 7 have CPUs 0 to 7 and 8 to 15.
Topology Machine() {
  Topology machine;
  machine.cpus = machine.allowed = CpuSet::Range(0, 15);
  for (int node = 0; node < 2; ++node) {
    machine.nodes.push_back(
        {node, MemoryTier::kDram, 64_GiB,
         CpuSet::Range(4 * node, 4 * node + 3) | CpuSet::Range(4 * node + 8, 4 * node + 11)});
  }
  for (int core = 0; core < 8; ++core)
    machine.cores.push_back({core, CpuSet::Range(core, core) | CpuSet::Range(core + 8, core + 8)});
  return machine;
}

ProcessPlace Process(int pid, const CpuSet& mask, Nanos on_cpu = std::chrono::seconds(10)) {
  ProcessPlace place;
  place.pid = pid;
  place.name = "python3";
  place.threads.push_back({pid, "python3", mask, mask.First(), on_cpu});
  return place;
}

Family Trainer(int pid, const CpuSet& own, const std::vector<CpuSet>& workers) {
  Family family{Process(pid, own)};
  for (const CpuSet& mask : workers) family.push_back(Process(pid + static_cast<int>(family.size()), mask));
  return family;
}

CpuSet Cpu(int cpu) {
  return CpuSet::Range(cpu, cpu);
}

TEST(PlaceFindings, WorkersThatAnOpenMpRuntimeHoldsOnOneCoreAreNamedWithTheVariable) {
  Family family = Trainer(100, Cpu(0), {Cpu(0), Cpu(0), Cpu(0), Cpu(0)});
  family[0].pinned_by = {"OMP_PROC_BIND=true"};
  const auto findings = FindWrongMasks(Machine(), {family});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, Kind::kCrowded);
  EXPECT_EQ(findings[0].sentence, "python3 (100): 4 workers may only use CPU 0, of 16 that are allowed");
  EXPECT_THAT(findings[0].remedy, AllOf(HasSubstr("start it without OMP_PROC_BIND=true"),
                                        HasSubstr("for p in 101 102 103 104; do taskset -cp 0-15 $p; done")));
}

TEST(PlaceFindings, WorkersThatALauncherHoldsAreToldWithoutAVariable) {
  const auto findings =
      FindWrongMasks(Machine(), {Trainer(100, CpuSet::Range(0, 1), std::vector(4, CpuSet::Range(0, 1)))});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].remedy, HasSubstr("give it more CPUs where it is started"));
}

TEST(PlaceFindings, WorkersOnEnoughCpusOrOnAllThatTheirGroupAllowsAreWell) {
  EXPECT_THAT(
      FindWrongMasks(Machine(), {Trainer(100, CpuSet::Range(0, 3), std::vector(4, CpuSet::Range(0, 3)))}),
      IsEmpty());
  Family boxed = Trainer(100, CpuSet::Range(0, 1), std::vector(4, CpuSet::Range(0, 1)));
  boxed[0].allowed = CpuSet::Range(0, 1);
  EXPECT_THAT(FindWrongMasks(Machine(), {boxed}), IsEmpty());
}

TEST(PlaceFindings, HelpersThatHardlyRunAreNoWorkers) {
  Family family = Trainer(100, CpuSet::Range(0, 15), {CpuSet::Range(0, 1), CpuSet::Range(0, 1)});
  family.push_back(Process(110, CpuSet::Range(0, 1), std::chrono::milliseconds(20)));
  EXPECT_THAT(FindWrongMasks(Machine(), {family}), IsEmpty());
}

TEST(PlaceFindings, ThreadsAreTheWorkersOfAProcessWithoutChildren) {
  Family family{Process(100, Cpu(3))};
  for (int tid = 101; tid < 104; ++tid)
    family[0].threads.push_back({tid, "decode", Cpu(3), 3, std::chrono::seconds(10)});
  ASSERT_THAT(FindWrongMasks(Machine(), {family}), SizeIs(1));
}

TEST(PlaceFindings, AllRanksOnOneNodeIsFoundAndOneRankOnEachIsWell) {
  const CpuSet first = CpuSet::Range(0, 3) | CpuSet::Range(8, 11), second = CpuSet::Range(4, 7);
  const auto findings =
      FindWrongMasks(Machine(), {Trainer(100, first, {first, first}), Trainer(200, first, {first, first})});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, Kind::kOneNode);
  EXPECT_EQ(findings[0].sentence,
            "all 2 runs may only use node 0, and CPUs 4-7,12-15 of other nodes have none");
  EXPECT_THAT(FindWrongMasks(Machine(),
                             {Trainer(100, first, {first, first}), Trainer(200, second, {second, second})}),
              IsEmpty());
  EXPECT_THAT(FindWrongMasks(Machine(), {Trainer(100, first, {first, first})}), IsEmpty());
}

TEST(PlaceFindings, WorkersOnBothThreadsOfACoreAreFoundWhileCoresHaveNone) {
  const auto findings =
      FindWrongMasks(Machine(), {Trainer(100, CpuSet::Range(0, 15), {Cpu(0), Cpu(8), Cpu(1), Cpu(9)})});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, Kind::kDoubledCores);
  EXPECT_EQ(findings[0].sentence,
            "workers are pinned to both threads of the same cores (CPUs 0-1,8-9), while 6 cores have none");
}

TEST(PlaceFindings, WorkersOnBothThreadsOfEveryCoreAreWell) {
  std::vector<CpuSet> all;
  for (int cpu = 0; cpu < 16; ++cpu) all.push_back(Cpu(cpu));
  EXPECT_THAT(FindWrongMasks(Machine(), {Trainer(100, CpuSet::Range(0, 15), all)}), IsEmpty());
}

TEST(PlaceFindings, AShellThatIsHeldItselfOrHoldsItsChildrenIsToldBeforeTheStart) {
  EXPECT_THAT(FindBeforeStart(Machine(), Process(1, CpuSet::Range(0, 15))), IsEmpty());
  ProcessPlace shell = Process(1, Cpu(2));
  shell.pinned_by = {"OMP_PROC_BIND=true"};
  const auto findings = FindBeforeStart(Machine(), shell);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].sentence, "what is started here may only use CPU 2, of 16 that are allowed");
  EXPECT_THAT(findings[0].remedy, HasSubstr("taskset -cp 0-15 $$"));
  EXPECT_EQ(findings[1].kind, Kind::kPinning);
}

}  // namespace
}  // namespace sluice::autotune

#include "doctor/numa_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Topology TwoNodes() {
  Topology topology;
  topology.cpus = topology.allowed = CpuSet::Range(0, 15);
  topology.nodes = {{0, MemoryTier::kDram, 64_GiB, CpuSet::Range(0, 7)},
                    {1, MemoryTier::kDram, 64_GiB, CpuSet::Range(8, 15)}};
  return topology;
}

MeasuredRun RunOf(int pid, const CpuSet& cpus) {
  MeasuredRun run{.pid = pid, .program = "train.py"};
  ProcessPlace place;
  place.pid = pid;
  place.threads.push_back({pid, "python3", cpus, -1, Nanos(0)});
  run.places.push_back(place);
  return run;
}

NumaLook Look(std::uint64_t local, std::uint64_t other) {
  // In thousands of pages.
  return {.counts = {{0, local * 1000, other * 1000, 0}, {1, local * 1000, other * 1000, 3}},
          .over = {},
          .settings = {1, 0}};
}

DoctorCheck Find(const std::vector<DoctorCheck>& checks, const std::string& kind) {
  const auto found = std::ranges::find(checks, kind, &DoctorCheck::kind);
  return found != checks.end() ? *found : DoctorCheck{State::kBad, kind, "(not told)", ""};
}

TEST(NumaChecks, OneNodeHasNoOther) {
  Topology topology = TwoNodes();
  topology.nodes.resize(1);
  const auto checks = NumaChecks({.counts = {{0, 5, 5, 0}}}, topology, {});
  EXPECT_THAT(checks, SizeIs(1));
  EXPECT_EQ(checks[0].state, State::kGood);
}

TEST(NumaChecks, ARemoteShareOfATenthIsSaidWithItsTime) {
  EXPECT_EQ(Find(NumaChecks(Look(95, 5), TwoNodes(), {}), "numa_remote").state, State::kGood);
  const DoctorCheck check = Find(NumaChecks(Look(75, 25), TwoNodes(), {}), "numa_remote");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_EQ(check.found, "25% of the pages given since the machine's start were another node's");
  EXPECT_THAT(check.remedy, HasSubstr("numactl --cpunodebind=NODE --membind=NODE"));
  EXPECT_EQ(check.evidence.at(1).read, "local_node 75000, other_node 25000, numa_miss 3");
  NumaLook lately = Look(75, 25);
  lately.over = std::chrono::seconds(2);
  EXPECT_THAT(Find(NumaChecks(lately, TwoNodes(), {}), "numa_remote").found, HasSubstr("in the last 2"));
}

TEST(NumaChecks, OfAFewPagesNothingIsSaid) {
  const NumaLook few{.counts = {{0, 500, 500, 0}}, .over = {}, .settings = {}};
  const DoctorCheck check = Find(NumaChecks(few, TwoNodes(), {}), "numa_remote");
  EXPECT_THAT(check.found, HasSubstr("too few pages"));
  EXPECT_THAT(check.remedy, IsEmpty());
}

TEST(NumaChecks, CountsBetweenTwoLooksCountOnlyWhereTheyAreEnough) {
  const std::vector<probes::NodeCounts> before{{0, 1000, 0, 0}}, little{{0, 2000, 0, 0}},
      much{{0, 101'000, 50'000, 0}};
  EXPECT_FALSE(ChooseCounts(before, little, std::chrono::seconds(5)).over);
  EXPECT_FALSE(ChooseCounts(before, much, std::chrono::milliseconds(100)).over);
  const NumaLook look = ChooseCounts(before, much, std::chrono::seconds(5));
  EXPECT_EQ(look.over, std::chrono::seconds(5));
  EXPECT_EQ(look.counts.at(0).local, 100'000);
  EXPECT_EQ(ChooseCounts(before, little, std::chrono::seconds(5)).counts.at(0).local, 2000)
      << "all since the start";
}

TEST(NumaChecks, RunsThatMayUseAllNodesAreUnboundWhereThereAreSeveral) {
  const auto everywhere = CpuSet::Range(0, 15);
  const DoctorCheck check = Find(
      NumaChecks(Look(1, 0), TwoNodes(), {RunOf(100, everywhere), RunOf(200, everywhere)}), "unbound_ranks");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("2 of 2 measured runs may use the CPUs of all 2 nodes"));
  EXPECT_THAT(check.remedy, HasSubstr("--cpunodebind=$((LOCAL_RANK % 2))"));
  EXPECT_EQ(check.evidence.at(0).read, "0-15");
  const auto bound =
      NumaChecks(Look(1, 0), TwoNodes(), {RunOf(100, CpuSet::Range(0, 7)), RunOf(200, CpuSet::Range(8, 15))});
  EXPECT_EQ(Find(bound, "unbound_ranks").state, State::kGood);
  EXPECT_THAT(Find(NumaChecks(Look(1, 0), TwoNodes(), {RunOf(100, everywhere)}), "unbound_ranks").found,
              HasSubstr("(not told)"))
      << "one run may well use the whole machine";
}

TEST(NumaChecks, PagesAreAstrayWhereTheirRunMayNotRun) {
  MeasuredRun run = RunOf(100, CpuSet::Range(0, 7));
  run.pages = {{0, 1_GiB}, {1, 1_GiB}};
  const DoctorCheck check = Find(NumaChecks(Look(1, 0), TwoNodes(), {run}), "numa_pages");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("50% lie where it may not run"));
  EXPECT_EQ(check.remedy, "sluice place 100 0 --move-pages");
  run.pages = {{0, 1_GiB}, {1, 50_MiB}};
  EXPECT_EQ(Find(NumaChecks(Look(1, 0), TwoNodes(), {run}), "numa_pages").state, State::kGood);
  run.pages.reset();
  EXPECT_THAT(Find(NumaChecks(Look(1, 0), TwoNodes(), {run}), "numa_pages").found, HasSubstr("not told"));
}

TEST(NumaChecks, BalancingIsInTheWayOnlyOfRunsThatAreBound) {
  EXPECT_EQ(
      Find(NumaChecks(Look(1, 0), TwoNodes(), {RunOf(100, CpuSet::Range(0, 15))}), "numa_balancing").state,
      State::kGood);
  const DoctorCheck check =
      Find(NumaChecks(Look(1, 0), TwoNodes(), {RunOf(100, CpuSet::Range(0, 7))}), "numa_balancing");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_EQ(check.remedy, "echo 0 | sudo tee /proc/sys/kernel/numa_balancing");
}

TEST(NumaChecks, ZoneReclaimIsSwitchedOff) {
  NumaLook look = Look(1, 0);
  EXPECT_EQ(Find(NumaChecks(look, TwoNodes(), {}), "zone_reclaim").state, State::kGood);
  look.settings.zone_reclaim = 1;
  EXPECT_EQ(Find(NumaChecks(look, TwoNodes(), {}), "zone_reclaim").remedy,
            "echo 0 | sudo tee /proc/sys/vm/zone_reclaim_mode");
}

TEST(NumaChecks, WhatTheKernelDoesNotTellIsMissing) {
  const auto checks = NumaChecks({}, TwoNodes(), {});
  for (const char* kind : {"numa_remote", "numa_balancing", "zone_reclaim"}) {
    EXPECT_EQ(Find(checks, kind).state, State::kNote) << kind;
    EXPECT_THAT(Find(checks, kind).found, HasSubstr("not told")) << kind;
  }
}

}  // namespace
}  // namespace sluice::app

#include "sluice/base/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::ElementsAre;

NumaNode Node(int number, MemoryTier tier, CpuSet cpus) {
  return {.number = number, .tier = tier, .memory = 1_GiB, .cpus = std::move(cpus)};
}

TEST(Topology, ThreadsLiveByDramNotByTheFasterOrLargerMemoryBesideIt) {
  Topology topology;
  topology.nodes = {Node(0, MemoryTier::kHbm, CpuSet::Range(0, 3)),
                    Node(1, MemoryTier::kDram, CpuSet::Range(0, 3)),
                    Node(2, MemoryTier::kDram, CpuSet::Range(4, 7)), Node(3, MemoryTier::kCxl, {})};
  EXPECT_THAT(HomeNodes(topology), ElementsAre(1, 2));
  EXPECT_EQ(HomeNodeOf(topology, 5), 2);
  EXPECT_EQ(HomeNodeOf(topology, 8), std::nullopt);
}

TEST(Topology, ThreadsLiveByHbmWhereThereIsNothingElse) {
  Topology topology;
  topology.nodes = {Node(0, MemoryTier::kHbm, CpuSet::Range(0, 3))};
  EXPECT_THAT(HomeNodes(topology), ElementsAre(0));
}

TEST(Topology, CxlMemoryNearAWholeMachineIsNobodysHome) {
  Topology topology;
  topology.nodes = {Node(2, MemoryTier::kCxl, CpuSet::Range(0, 7)),
                    Node(0, MemoryTier::kHbm, CpuSet::Range(0, 3)),
                    Node(1, MemoryTier::kDram, CpuSet::Range(4, 7))};
  EXPECT_THAT(HomeNodes(topology), ElementsAre(1, 2));
}

TEST(Topology, DistancesThatNobodyTellsAreNearOrFar) {
  Topology topology;
  topology.nodes = {Node(0, MemoryTier::kDram, CpuSet::Range(0, 3)),
                    Node(1, MemoryTier::kDram, CpuSet::Range(4, 7))};
  EXPECT_EQ(Distance(topology, 0, 0), 10);
  EXPECT_EQ(Distance(topology, 0, 1), 20);
  topology.distances = {{10, 32}, {31, 10}};
  EXPECT_EQ(Distance(topology, 0, 1), 32);
}

}  // namespace
}  // namespace sluice

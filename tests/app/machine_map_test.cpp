#include "topology/machine_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/probes/topology.h"
#include "topology/place_command.h"

namespace sluice::app {
namespace {

using testing::HasSubstr;

// 2 nodes of 2 cores.
Topology Small() {
  return probes::MakeTopology("package:2 [numa(memory=1GB)] core:2 pu:1").value();
}
Topology WithGpus() {
  return probes::ReadTopologyXml(SLUICE_SCENARIOS "/../tests/probes/topologies/gpus_on_node_1.xml").value();
}

TEST(MachineMap, HasTheNodesWithTheCpusThatAreOurs) {
  Topology topology = Small();
  topology.allowed = CpuSet::Range(1, 2);
  const MachineMap map = MapOf(topology, "").value();
  ASSERT_EQ(map.nodes.size(), 2u);
  EXPECT_EQ(map.nodes[0].cpus, CpuSet::Range(1, 1));
  EXPECT_EQ(map.nodes[1].cpus, CpuSet::Range(2, 2));
  EXPECT_FALSE(map.device);
  topology.allowed = CpuSet::Range(0, 1);
  EXPECT_EQ(MapOf(topology, "")->nodes.size(), 1u) << "a node without such CPUs is no choice";
}

TEST(MachineMap, IsForTheGpusWhereAllAreNearOneNode) {
  const MachineMap map = MapOf(WithGpus(), "").value();
  ASSERT_TRUE(map.device);
  EXPECT_EQ(map.topology->devices[*map.device].kind, DeviceKind::kGpu);
  Topology apart = WithGpus();
  for (Device& device : apart.devices) {
    if (device.kind != DeviceKind::kGpu) continue;
    device.node = 0;
    break;
  }
  EXPECT_FALSE(MapOf(apart, "")->device) << "nobody knows for which";
}

TEST(MachineMap, IsForTheDeviceThatIsNamed) {
  const Topology topology = WithGpus();
  for (const std::size_t i : {std::size_t{0}, topology.devices.size() - 1}) {
    const Device& device = topology.devices[i];
    if (!device.node) continue;
    EXPECT_EQ(MapOf(topology, device.bus_id)->device, i);
    EXPECT_EQ(MapOf(topology, device.names.substr(0, device.names.find(", ")))->device, i);
  }
  EXPECT_THAT(MapOf(topology, "cuda9").error().message, HasSubstr("there is no device cuda9; there are: "));
}

TEST(Where, NamesNodesWithTheirCpusAndWhatOnesOwnProcessGets) {
  const Where node = WhereOn(Small(), "1", false).value();
  EXPECT_EQ(node.cpus, CpuSet::Range(2, 3));
  EXPECT_EQ(node.words, "node 1 (CPUs 2-3)");
  EXPECT_EQ(WhereOn(Small(), "0-1:interleave", true)->nodes, (Placement{3, MemoryPolicy::kInterleave}));
  EXPECT_EQ(WhereOn(Small(), "cpus:1-2", false)->cpus, CpuSet::Range(1, 2));
  EXPECT_EQ(WhereOn(Small(), "anywhere", false)->cpus, CpuSet::Range(0, 3));
}

TEST(Where, SaysWhatTheMachineHas) {
  EXPECT_THAT(WhereOn(Small(), "7", false).error().message, HasSubstr("nodes with CPUs: 0-1"));
  EXPECT_THAT(WhereOn(Small(), "cpus:3-9", false).error().message, HasSubstr("CPUs 4-9 cannot be used here"));
  EXPECT_THAT(WhereOn(Small(), "1:bind", false).error().message, HasSubstr("sluice wrap --place"));
  Topology narrow = Small();
  narrow.allowed = CpuSet::Range(0, 0);
  EXPECT_THAT(WhereOn(narrow, "1", true).error().message, HasSubstr("those that can are 0"));
}

}  // namespace
}  // namespace sluice::app

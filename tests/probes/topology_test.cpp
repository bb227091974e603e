#include "sluice/probes/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "probes/temp_folder.h"

namespace sluice::probes {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Topology Made(const std::string& text) {
  auto made = MakeTopology(text);
  EXPECT_TRUE(made) << made.error().message;
  return made.value_or(Topology{});
}

Topology FromFile(const std::string& name) {
  auto read = ReadTopologyXml(SLUICE_SOURCE_DIR "/tests/probes/topologies/" + name);
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(Topology{});
}

std::string ErrorOfXml(const std::string& text) {
  const TempFolder folder;
  const std::string file = folder.path() + "/machine.xml";
  std::ofstream(file) << text;
  const auto read = ReadTopologyXml(file);
  return read ? "no error" : read.error().message;
}

TEST(Topology, OfThisMachineHasEveryCpuInAPlaceAndIsThisMachine) {
  const auto machine = ReadTopology();
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_TRUE(machine->this_machine);
  EXPECT_FALSE(machine->allowed.empty());
  EXPECT_TRUE(machine->allowed.Within(machine->cpus));
  CpuSet in_cores;
  for (const Core& core : machine->cores) in_cores = in_cores | core.cpus;
  EXPECT_EQ(in_cores, machine->cpus);
  for (const int cpu : machine->cpus.Cpus()) EXPECT_TRUE(HomeNodeOf(*machine, cpu)) << cpu;
}

TEST(Topology, TwoPackagesOf64CoresHave256CpusInTwoNodes) {
  const Topology machine = Made("package:2 [numa(memory=512GiB)] l3:8 core:8 pu:2");
  EXPECT_FALSE(machine.this_machine);
  EXPECT_THAT(machine.packages, SizeIs(2));
  EXPECT_THAT(machine.cores, SizeIs(128));
  EXPECT_EQ(machine.cores[0].cpus.Count(), 2);
  EXPECT_EQ(machine.cpus.Count(), 256);
  EXPECT_THAT(HomeNodes(machine), ElementsAre(0, 1));
  EXPECT_EQ(machine.nodes[0].memory, 512_GiB);
  EXPECT_EQ(machine.caches[0].level, 3);
  EXPECT_EQ(machine.caches[0].cpus, CpuSet::Range(0, 15));
}

TEST(Topology, SubNumaClusteringMakesTwoNodesOfAPackage) {
  const Topology machine = Made("package:2 group:2 [numa(memory=128GiB)] core:16 pu:2");
  EXPECT_THAT(machine.packages, SizeIs(2));
  EXPECT_THAT(HomeNodes(machine), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(machine.nodes[1].cpus, CpuSet::Range(32, 63));
}

TEST(Topology, EightNodesHaveTheirCpusEach) {
  const Topology machine = Made("package:8 [numa(memory=64GiB)] core:8 pu:1");
  ASSERT_THAT(machine.nodes, SizeIs(8));
  for (int node = 0; node < 8; ++node)
    EXPECT_EQ(machine.nodes[static_cast<std::size_t>(node)].cpus, CpuSet::Range(8 * node, 8 * node + 7));
  EXPECT_EQ(HomeNodeOf(machine, 63), 7);
}

TEST(Topology, GpusAndNetworkOfNode1AreNearNode1AndTheDiskIsNot) {
  const Topology machine = FromFile("gpus_on_node_1.xml");
  ASSERT_THAT(machine.devices, SizeIs(4));
  EXPECT_EQ(machine.devices[0].kind, DeviceKind::kStorage);
  EXPECT_EQ(machine.devices[0].node, 0);
  for (std::size_t device = 1; device < 4; ++device) EXPECT_EQ(machine.devices[device].node, 1);
  EXPECT_EQ(machine.devices[1].kind, DeviceKind::kGpu);
  EXPECT_EQ(machine.devices[1].bus_id, "0000:81:00.0");
  EXPECT_EQ(machine.devices[1].names, "cuda0, nvml0");
  EXPECT_EQ(machine.devices[1].model, "NVIDIA H100 SXM5 80GB");
  EXPECT_EQ(machine.devices[3].kind, DeviceKind::kNetwork);
  EXPECT_THAT(machine.distances, ElementsAre(ElementsAre(10, 21), ElementsAre(21, 10)));
}

TEST(Topology, HybridCoresComeAsTwoKindsTheSlowerFirst) {
  const Topology machine = FromFile("hybrid_cores.xml");
  ASSERT_THAT(machine.core_kinds, SizeIs(2));
  EXPECT_EQ(machine.core_kinds[0].name, "IntelAtom");
  EXPECT_EQ(machine.core_kinds[0].cpus, CpuSet::Range(16, 23));
  EXPECT_EQ(machine.core_kinds[1].name, "IntelCore");
  EXPECT_THAT(machine.cores, SizeIs(16));
}

TEST(Topology, HbmAndCxlAreMemoryAndOnlyDramIsAHome) {
  const Topology machine = FromFile("memory_tiers.xml");
  int hbm = 0, cxl = 0;
  for (const NumaNode& node : machine.nodes) {
    hbm += node.tier == MemoryTier::kHbm;
    cxl += node.tier == MemoryTier::kCxl;
  }
  EXPECT_EQ(hbm, 2);
  EXPECT_EQ(cxl, 1);
  const auto homes = HomeNodes(machine);
  ASSERT_THAT(homes, SizeIs(2));
  for (const std::size_t home : homes) EXPECT_EQ(machine.nodes[home].tier, MemoryTier::kDram);
}

TEST(Topology, ADeviceThatHangsAtTheWholeMachineIsNearNoNode) {
  std::string text;
  std::getline(std::ifstream(SLUICE_SOURCE_DIR "/tests/probes/topologies/gpus_on_node_1.xml"), text, '\0');
  const auto first = text.find("      <object type=\"Bridge\"");
  const auto end = text.find("      </object>\n", first) + std::string("      </object>\n").size();
  const std::string bridge = text.substr(first, end - first);
  text.erase(first, bridge.size());
  text.insert(text.rfind("  </object>\n"), bridge);
  const TempFolder folder;
  std::ofstream(folder.path() + "/machine.xml") << text;
  const auto machine = ReadTopologyXml(folder.path() + "/machine.xml");
  ASSERT_TRUE(machine) << machine.error().message;
  for (const Device& device : machine->devices)
    EXPECT_EQ(device.node.has_value(), device.kind != DeviceKind::kStorage) << device.bus_id;
}

TEST(Topology, AFileThatIsMissingEmptyOrSomethingElseIsNamedWithTheRemedy) {
  const auto missing = ReadTopologyXml("/no/such/machine.xml");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr("/no/such/machine.xml"), HasSubstr("No such file")));
  EXPECT_THAT(ErrorOfXml(""), AllOf(HasSubstr("machine.xml"), HasSubstr("empty")));
  for (const char* text : {"no xml", "<html></html>", "<topology version=\"2.0\"><object type=\"Machine\">",
                           "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology "
                           "version=\"9.0\">\n</topology>\n"})
    EXPECT_THAT(ErrorOfXml(text), AllOf(HasSubstr("machine.xml: "), HasSubstr("lstopo"))) << text;
}

TEST(Topology, ASyntheticTextThatDescribesNothingIsShownWithAnExample) {
  for (const char* text : {"", "nonsense", "package:0", "package:2 core", "core:2 package:2", "pu:-1"}) {
    const auto made = MakeTopology(text);
    ASSERT_FALSE(made) << text;
    EXPECT_THAT(made.error().message,
                AllOf(HasSubstr(std::string("'") + text + "'"), HasSubstr("package:2")));
  }
}

}  // namespace
}  // namespace sluice::probes

#include "sluice/exporters/topology_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace sluice::exporters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two packages of two cores with two threads each; a GPU near node 1, memory beside the whole machine.
Topology TwoNodes() {
  Topology machine;
  machine.origin = "this machine";
  machine.this_machine = true;
  machine.cpus = CpuSet::Range(0, 7);
  machine.allowed = machine.cpus - CpuSet::Range(6, 7);
  for (int i = 0; i < 2; ++i) {
    const CpuSet cpus = CpuSet::Range(4 * i, 4 * i + 3);
    machine.packages.push_back({i, cpus});
    machine.nodes.push_back({i, MemoryTier::kDram, 64_GiB, cpus});
    machine.caches.push_back({3, 32_MiB, cpus});
    for (int core = 0; core < 2; ++core)
      machine.cores.push_back({core, CpuSet::Range(4 * i + 2 * core, 4 * i + 2 * core + 1)});
  }
  machine.nodes.push_back({2, MemoryTier::kCxl, 128_GiB, {}});
  machine.devices.push_back({DeviceKind::kGpu, "0000:81:00.0", "cuda0", "NVIDIA H100", 1});
  machine.distances = {{10, 21, 30}, {21, 10, 30}, {30, 30, 10}};
  return machine;
}

ProcessPlace Trainer() {
  ProcessPlace process{
      .pid = 42, .parent = 1, .name = "python3", .threads = {}, .allowed = {}, .pinned_by = {}};
  process.threads.push_back({42, "python3", CpuSet::Range(0, 7), 4, Nanos(2'500'000'000)});
  process.threads.push_back({43, "decode", CpuSet::Range(0, 1), 0, Nanos(0)});
  process.threads.push_back({44, "decode", CpuSet::Range(0, 1), 1, Nanos(0)});
  return process;
}

TEST(TopologyText, DrawsPackagesNodesCoresDevicesDistancesAndThreads) {
  EXPECT_THAT(
      TopologyText({TwoNodes(), {{"train.py", {Trainer()}}}, {}}, {}),
      ElementsAre("this machine: 2 packages, 3 NUMA nodes, 4 cores, 8 CPUs, 256 GiB", "",
                  "package 0  CPUs 0-3",
                  "  node 0  64.0 GiB DRAM, 2 cores x 2 threads, CPUs 0-3, L3 1 x 32.0 MiB", "    cores  2·",
                  "", "package 1  CPUs 4-7",
                  "  node 1  64.0 GiB DRAM, 2 cores x 2 threads, CPUs 4-7, L3 1 x 32.0 MiB", "    cores  1x",
                  "    GPU      0000:81:00.0  cuda0  NVIDIA H100", "", "node 2  128 GiB CXL, near no CPU", "",
                  "Not allowed here (control group, or offline): CPUs 6-7", "", "distances    0    1    2",
                  "  node 0    10   21   30", "  node 1    21   10   30", "  node 2    30   30   10", "",
                  "train.py", "pid  thread   threads  may use CPUs  ran last on  node",
                  " 42  python3        1  all           4            1",
                  " 42  decode         2  0-1           0-1          0"));
}

TEST(TopologyText, EndsWithWhatIsWrongAndTheRemedy) {
  const PlaceFinding finding{PlaceFinding::Kind::kCrowded, "4 workers may only use CPU 0",
                             "taskset -cp 0-15 42"};
  const auto lines = TopologyText({TwoNodes(), {{"train.py", {Trainer()}}}, {finding}}, {});
  EXPECT_EQ(lines[lines.size() - 2], "4 workers may only use CPU 0");
  EXPECT_EQ(lines.back(), "   taskset -cp 0-15 42");
  const auto json = nlohmann::json::parse(TopologyJson({TwoNodes(), {}, {finding}}));
  EXPECT_EQ(json["findings"][0]["kind"], "crowded");
  EXPECT_EQ(json["findings"][0]["remedy"], "taskset -cp 0-15 42");
}

TEST(TopologyText, AMachineThatIsNotThisOneSaysThatNothingCanBeBoundToIt) {
  Topology machine = TwoNodes();
  machine.this_machine = false;
  EXPECT_THAT(TopologyText({machine, {}, {}}, {})[1], HasSubstr("Not this machine"));
}

TEST(TopologyText, CoresOfSeveralKindsAreNamedAndTheirThreadsNotGuessed) {
  Topology machine = TwoNodes();
  machine.cores[1].cpus = CpuSet::Range(2, 2);
  machine.core_kinds = {{"IntelAtom", CpuSet::Range(2, 2)}, {"IntelCore", CpuSet::Range(0, 1)}};
  const auto lines = TopologyText({machine, {}, {}}, {});
  EXPECT_THAT(lines, testing::Contains(HasSubstr("2 cores of 1 to 2 threads")));
  EXPECT_THAT(lines, testing::Contains("cores IntelAtom  CPU 2"));
}

TEST(TopologyText, AsciiTerminalsGetAscii) {
  TextStyle style;
  style.unicode = false;
  for (const std::string& line : TopologyText({TwoNodes(), {{"", {Trainer()}}}, {}}, style)) {
    for (const char c : line) EXPECT_LT(static_cast<unsigned char>(c), 128) << line;
  }
}

TEST(TopologyJson, SaysTheSameToPrograms) {
  const auto json = nlohmann::json::parse(TopologyJson({TwoNodes(), {{"train.py", {Trainer()}}}, {}}));
  EXPECT_EQ(json["format"], "sluice-topology");
  EXPECT_EQ(json["allowed"], "0-5");
  EXPECT_EQ(json["nodes"][1]["cpus"], "4-7");
  EXPECT_EQ(json["nodes"][1]["home"], true);
  EXPECT_EQ(json["nodes"][2]["tier"], "CXL");
  EXPECT_EQ(json["nodes"][2]["home"], false);
  EXPECT_EQ(json["distances"][0][1], 21);
  EXPECT_EQ(json["devices"][0]["node"], 1);
  const auto& thread = json["families"][0]["processes"][0]["threads"][0];
  EXPECT_EQ(thread["last_node"], 1);
  EXPECT_EQ(thread["on_cpu_seconds"], 2.5);
  EXPECT_EQ(json["families"][0]["processes"][0]["allowed"], nullptr);
}

}  // namespace
}  // namespace sluice::exporters

// Topology: what a machine is made of and what lies near what, as a plain value.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/cpu_set.h"
#include "sluice/base/units.h"

namespace sluice {

enum class MemoryTier : std::uint8_t { kDram, kHbm, kCxl, kNvm, kDevice };

struct Package {
  int number = 0;  // the kernel's, as are all numbers below
  CpuSet cpus;
};

struct Core {
  int number = 0;  // within its package; two packages may number alike
  CpuSet cpus;     // two or more: SMT
};

// Cores that differ from others: performance and efficiency cores.
struct CoreKind {
  std::string name;  // "IntelAtom"; empty: the machine only says that they differ
  CpuSet cpus;
};

struct Cache {
  int level = 0;  // of data
  Bytes size{0};  // 0: not told
  CpuSet cpus;    // that share it
};

struct NumaNode {
  int number = 0;
  MemoryTier tier = MemoryTier::kDram;
  Bytes memory{0};  // 0: not told
  CpuSet cpus;      // that are near it; empty: memory alone
};

enum class DeviceKind : std::uint8_t { kGpu, kNetwork, kStorage, kOther };

struct Device {
  DeviceKind kind = DeviceKind::kOther;
  std::string bus_id;               // "0000:3b:00.0"
  std::string names;                // what programs call it: "cuda0, card0"; empty: no driver
  std::string model;                // empty: unknown
  std::optional<std::size_t> node;  // index of the nearest NumaNode; nullopt: none is nearer than others
};

struct Topology {
  std::string origin;         // "this machine", "machine.xml", "package:2 core:4"
  bool this_machine = false;  // false: what is bound to it has no effect
  CpuSet cpus;
  CpuSet allowed;  // of these, those that the control group and the boot leave to us
  std::vector<Package> packages;
  std::vector<Core> cores;
  std::vector<CoreKind> core_kinds;  // the slowest first; fewer than two: all cores are alike
  std::vector<Cache> caches;         // by level, the highest first
  std::vector<NumaNode> nodes;
  std::vector<Device> devices;
  // [from][to], by index of `nodes`, in the kernel's unit: 10 is local. Empty: not told.
  std::vector<std::vector<double>> distances;
};

// Nodes where threads can live, by index: of those near the same CPUs the one with DRAM, else with HBM; none
// without CPUs.
[[nodiscard]] std::vector<std::size_t> HomeNodes(const Topology& topology);
// Of these, the one that this CPU is near.
[[nodiscard]] std::optional<std::size_t> HomeNodeOf(const Topology& topology, int cpu);
// 10 of a node to itself; 20 where nothing is told.
[[nodiscard]] double Distance(const Topology& topology, std::size_t from, std::size_t to);

// "DRAM", "HBM", "CXL", "NVM", "device memory".
[[nodiscard]] std::string_view TierName(MemoryTier tier);
// "GPU", "network", "storage", "other".
[[nodiscard]] std::string_view DeviceKindName(DeviceKind kind);

}  // namespace sluice

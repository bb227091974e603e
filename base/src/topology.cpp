#include "sluice/base/topology.h"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

constexpr double kLocal = 10, kUntold = 20;
// The first that is there.
constexpr std::array kLivedBy{MemoryTier::kDram, MemoryTier::kHbm, MemoryTier::kCxl, MemoryTier::kNvm};

}  // namespace

std::vector<std::size_t> HomeNodes(const Topology& topology) {
  std::vector<std::size_t> homes;
  const auto has_home = [&](const CpuSet& cpus) {
    return std::ranges::any_of(homes,
                               [&](std::size_t home) { return topology.nodes[home].cpus.Meets(cpus); });
  };
  for (const MemoryTier tier : kLivedBy) {
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
      const NumaNode& node = topology.nodes[i];
      if (node.tier == tier && !node.cpus.empty() && !has_home(node.cpus)) homes.push_back(i);
    }
  }
  std::ranges::sort(homes);
  return homes;
}

std::optional<std::size_t> HomeNodeOf(const Topology& topology, int cpu) {
  for (const std::size_t home : HomeNodes(topology)) {
    if (topology.nodes[home].cpus.Has(cpu)) return home;
  }
  return std::nullopt;
}

double Distance(const Topology& topology, std::size_t from, std::size_t to) {
  if (from < topology.distances.size() && to < topology.distances[from].size())
    return topology.distances[from][to];
  return from == to ? kLocal : kUntold;
}

std::string_view TierName(MemoryTier tier) {
  switch (tier) {
    case MemoryTier::kDram:
      return "DRAM";
    case MemoryTier::kHbm:
      return "HBM";
    case MemoryTier::kCxl:
      return "CXL";
    case MemoryTier::kNvm:
      return "NVM";
    case MemoryTier::kDevice:
      return "device memory";
  }
  return "unknown";
}

std::string_view DeviceKindName(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu:
      return "GPU";
    case DeviceKind::kNetwork:
      return "network";
    case DeviceKind::kStorage:
      return "storage";
    case DeviceKind::kOther:
      return "other";
  }
  return "other";
}

}  // namespace sluice

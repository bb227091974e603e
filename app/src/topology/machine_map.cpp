#include "topology/machine_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sluice/base/cpu_set.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/topology.h"

namespace sluice::app {
namespace {

// Asked before the topology is read, which takes a while on a large machine.
bool HasSeveralNodes() {
  const auto online = probes::ReadSmallFile("/sys/devices/system/node/online");
  const auto nodes = online ? ParseCpuList(*online) : std::nullopt;
  return nodes && nodes->Count() > 1;
}

bool IsCalled(const Device& device, std::string_view name) {
  if (device.bus_id == name) return true;
  for (std::string_view names = device.names; !names.empty();) {
    const auto comma = std::min(names.find(", "), names.size());
    if (names.substr(0, comma) == name) return true;
    names.remove_prefix(std::min(comma + 2, names.size()));
  }
  return false;
}

std::string DevicesOf(const Topology& topology) {
  std::string list;
  for (const Device& device : topology.devices)
    list += (list.empty() ? "" : "; ") + (device.names.empty() ? device.bus_id : device.names);
  return list.empty() ? "none" : list;
}

// All of them are as good as any where they are near the same node.
std::optional<std::size_t> OneOfTheGpus(const Topology& topology) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < topology.devices.size(); ++i) {
    const Device& device = topology.devices[i];
    if (device.kind != DeviceKind::kGpu) continue;
    if (!device.node || (found && topology.devices[*found].node != device.node)) return std::nullopt;
    if (!found) found = i;
  }
  return found;
}

}  // namespace

Result<MachineMap> MapOf(Topology topology, const std::string& near) {
  MachineMap map;
  if (near.empty()) {
    map.device = OneOfTheGpus(topology);
  } else {
    const auto found =
        std::ranges::find_if(topology.devices, [&](const Device& device) { return IsCalled(device, near); });
    if (found == topology.devices.end())
      return Fail(fmt::format("there is no device {}; there are: {}", near, DevicesOf(topology)));
    if (!found->node) return Fail(fmt::format("device {} is near no node", near));
    map.device = static_cast<std::size_t>(found - topology.devices.begin());
  }
  for (const std::size_t home : HomeNodes(topology)) {
    NumaNode node = topology.nodes[home];
    node.cpus = node.cpus & topology.allowed;
    if (!node.cpus.empty()) map.nodes.push_back(std::move(node));
  }
  map.topology = std::make_shared<const Topology>(std::move(topology));
  return map;
}

Result<MachineMap> ReadMachineMap(const std::string& near) {
  if (!HasSeveralNodes() && near.empty()) return MachineMap{};
  auto topology = probes::ReadTopology();
  if (!topology) return std::unexpected(topology.error());
  auto map = MapOf(std::move(*topology), near);
  if (map && map->nodes.size() < 2) map->topology = nullptr;
  return map;
}

}  // namespace sluice::app

// MachineMap: where on a machine of several NUMA nodes work can be placed, and which device it is for.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/topology.h"

namespace sluice::app {

struct MachineMap {
  std::shared_ptr<const Topology> topology;  // nullptr: the machine has one node, or does not tell
  std::optional<std::size_t> device;         // of topology->devices; nullopt: nearness to none counts
  std::vector<NumaNode> nodes;               // where threads can live, with the CPUs that are ours to use
};

// `near`: a device by a name of it ("cuda0", "eth0") or by its bus ("0000:81:00.0"); empty: the GPUs, where
// all are near one node. Costs nothing on a machine of one node. Errors name the devices that there are.
[[nodiscard]] Result<MachineMap> ReadMachineMap(const std::string& near);
// The same of a topology that has been read.
[[nodiscard]] Result<MachineMap> MapOf(Topology topology, const std::string& near);

}  // namespace sluice::app

// Reads the topology of a machine with hwloc: of this one, from a file that lstopo or hwloc has written, or
// from a synthetic description. Immutable functions; costs milliseconds.
#pragma once
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/topology.h"

namespace sluice::probes {

// CPUs that our control group does not allow are there, but not in `allowed`. A topology that HWLOC_XMLFILE
// or HWLOC_SYNTHETIC puts in this machine's place is not `this_machine`.
[[nodiscard]] Result<Topology> ReadTopology();
[[nodiscard]] Result<Topology> ReadTopologyXml(const std::string& file);
// "package:2 [numa(memory=64GB)] l3:1 core:4 pu:2"; REQUIRES nothing of `text`.
[[nodiscard]] Result<Topology> MakeTopology(const std::string& text);

}  // namespace sluice::probes

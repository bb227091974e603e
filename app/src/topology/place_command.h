// `sluice place`: moves a process that runs already, with all that it has started, to NUMA nodes or CPUs, and
// tells what the kernel has made of it.
#pragma once
#include <string>

#include "sluice/base/cpu_set.h"
#include "sluice/base/error.h"
#include "sluice/base/placement.h"
#include "sluice/base/topology.h"

namespace sluice::app {

struct PlaceOptions {
  int pid = 0;
  std::string where;        // as typed: "1", "0-1", "anywhere", "cpus:0-7"
  bool move_pages = false;  // what its memory holds already, too
};

// Where on a machine: CPUs, and nodes where these were named.
struct Where {
  Placement nodes{};
  CpuSet cpus{};
  std::string words{};  // "node 1 (CPUs 4-7)"
};
// Errors say what the machine has. A policy of memory is refused where it is not `ours`: from outside no
// process's policy can be changed.
[[nodiscard]] Result<Where> WhereOn(const Topology& topology, const std::string& text, bool ours);

[[nodiscard]] int PlaceProcess(const PlaceOptions& options);

}  // namespace sluice::app

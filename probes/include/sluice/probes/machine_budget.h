// What this process may spend: cores from the affinity mask and the cgroup CPU quota (v1 and v2, the
// tightest of the whole path up to the root), memory from the cgroup limit and MemAvailable.
// Immutable functions; the parsers are pure, the readers take the root of the file system.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/units.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {

struct MachineBudget {
  int affinity_cpus = 1;
  std::optional<double> quota_cores;  // cgroup; nullopt: no limit
  double cores = 1;                   // the smaller of both
  Bytes memory_available{0};          // the smaller of MemAvailable and what the cgroup leaves
  std::optional<Bytes> memory_limit;  // cgroup
  std::optional<Nanos> throttled;     // total so far
};

// Of both: `pid` 0: this process. `root` is prefixed to /proc and /sys.
[[nodiscard]] MachineBudget ReadMachineBudget(int pid, const std::string& root = "");
// Of the CPUs that the process may run on; of a canned tree, of all. nullopt: the kernel does not say.
[[nodiscard]] std::optional<CpuTimes> ReadCpuTimes(int pid, const std::string& root = "");

}  // namespace sluice::probes

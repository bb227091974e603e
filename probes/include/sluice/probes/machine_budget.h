// What this process may spend. Cores: the least of the CPUs online, the cpuset, the affinity mask and the CPU
// quotas of all levels of its control groups; memory: the least of MemAvailable and what each level leaves.
// v1, v2 and the hybrid of both. What a launcher says (Slurm) is a hint: the kernel does not hold anybody to
// it, and where the launcher does, it is seen in the mask or the groups. Immutable functions; the parsers are
// pure, the readers take the root of the file system.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/machine_limits.h"
#include "sluice/base/units.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {

struct MachineBudget {
  int affinity_cpus = 1;
  std::optional<double> quota_cores;  // the tightest; nullopt: no limit
  double cores = 1;                   // the least of all bounds
  Bytes memory_available{0};          // likewise
  std::optional<Bytes> memory_limit;  // cgroup
  std::optional<Nanos> throttled;     // total so far, of the level that was held back longest
  MachineLimits limits;               // the same, bound by bound
};

// Of both: `pid` 0: this process. `root` is prefixed to /proc and /sys.
[[nodiscard]] MachineBudget ReadMachineBudget(int pid, const std::string& root = "");
// Of the CPUs that the process may run on; of a canned tree, of all. nullopt: the kernel does not say.
[[nodiscard]] std::optional<CpuTimes> ReadCpuTimes(int pid, const std::string& root = "");

}  // namespace sluice::probes

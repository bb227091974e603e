#include "sluice/probes/machine_budget.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "cgroup_limits.h"
#include "sluice/probes/proc_files.h"

namespace sluice {
namespace {

// The kernel says EINVAL while the mask is too small for its CPUs.
std::optional<int> AffinityFromKernel(int pid) {
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 2) {
    const auto release = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(release)> set(CPU_ALLOC(cpus), release);
    if (!set) return std::nullopt;
    if (sched_getaffinity(pid, CPU_ALLOC_SIZE(cpus), set.get()) == 0) {
      return CPU_COUNT_S(CPU_ALLOC_SIZE(cpus), set.get());
    }
    if (errno != EINVAL) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int> AffinityFromStatus(const std::string& process, const std::string& root) {
  const auto status = ReadSmallFile(fmt::format("{}/proc/{}/status", root, process));
  const auto list = status ? FindLine(*status, "Cpus_allowed_list") : std::nullopt;
  return list ? CountCpuList(*list) : std::nullopt;
}

int AffinityCpus(int pid, const std::string& process, const std::string& root) {
  // The mask of the first thread: the one who asks may have bound itself.
  const auto cpus =
      root.empty() ? AffinityFromKernel(pid == 0 ? getpid() : pid) : AffinityFromStatus(process, root);
  return std::max(1, cpus.value_or(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))));
}

std::optional<Bytes> MemAvailable(const std::string& root) {
  const auto meminfo = ReadSmallFile(root + "/proc/meminfo");
  const auto kibibytes = meminfo ? FindNumber(*meminfo, "MemAvailable") : std::nullopt;
  if (!kibibytes) return std::nullopt;
  return Bytes{*kibibytes * 1024};
}

}  // namespace

MachineBudget ReadMachineBudget(int pid, const std::string& root) {
  const auto process = pid == 0 ? std::string("self") : std::to_string(pid);
  const CgroupLimits limits = ReadCgroupLimits(pid, root);
  const auto machine = MemAvailable(root);
  MachineBudget budget;
  budget.affinity_cpus = AffinityCpus(pid, process, root);
  budget.quota_cores = limits.quota_cores;
  budget.cores = std::min<double>(budget.affinity_cpus, limits.quota_cores.value_or(budget.affinity_cpus));
  budget.memory_available = std::min(machine.value_or(limits.memory_left.value_or(Bytes{0})),
                                     limits.memory_left.value_or(machine.value_or(Bytes{0})));
  budget.memory_limit = limits.memory_limit;
  budget.throttled = limits.throttled;
  return budget;
}

}  // namespace sluice

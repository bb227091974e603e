#include "sluice/probes/machine_budget.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "machine/cgroup_limits.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

class CpuMask {
 public:
  explicit CpuMask(int cpus) : bytes_(CPU_ALLOC_SIZE(cpus)), set_(CPU_ALLOC(cpus)) {}
  [[nodiscard]] bool Read(int pid) { return set_ && sched_getaffinity(pid, bytes_, set_.get()) == 0; }
  [[nodiscard]] int count() const { return CPU_COUNT_S(bytes_, set_.get()); }
  [[nodiscard]] bool Has(int cpu) const { return cpu >= 0 && CPU_ISSET_S(cpu, bytes_, set_.get()); }

 private:
  struct Release {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  std::size_t bytes_;
  std::unique_ptr<cpu_set_t, Release> set_;
};

// The kernel says EINVAL while the mask is too small for its CPUs.
std::optional<CpuMask> AffinityFromKernel(int pid) {
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 2) {
    CpuMask mask(cpus);
    if (mask.Read(pid)) return mask;
    if (errno != EINVAL) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int> CountFromKernel(int pid) {
  const auto mask = AffinityFromKernel(pid);
  return mask ? std::optional(mask->count()) : std::nullopt;
}

std::optional<int> AffinityFromStatus(const std::string& process, const std::string& root) {
  const auto status = ReadSmallFile(fmt::format("{}/proc/{}/status", root, process));
  const auto list = status ? FindLine(*status, "Cpus_allowed_list") : std::nullopt;
  return list ? CountCpuList(*list) : std::nullopt;
}

int AffinityCpus(int pid, const std::string& process, const std::string& root) {
  // The mask of the first thread: the one who asks may have bound itself.
  const auto cpus =
      root.empty() ? CountFromKernel(pid == 0 ? getpid() : pid) : AffinityFromStatus(process, root);
  return std::max(1, cpus.value_or(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))));
}

std::optional<Bytes> MemAvailable(const std::string& root) {
  const auto meminfo = ReadSmallFile(root + "/proc/meminfo");
  const auto bytes = meminfo ? FindCount(*meminfo, "MemAvailable", 1024) : std::nullopt;
  if (!bytes) return std::nullopt;
  return Bytes{*bytes};
}

}  // namespace

std::optional<CpuTimes> ReadCpuTimes(int pid, const std::string& root) {
  const auto text = ReadSmallFile(root + "/proc/stat");
  const auto mask = root.empty() ? AffinityFromKernel(pid) : std::nullopt;
  if (!text) return std::nullopt;
  return ParseCpuTimes(*text, [&](int cpu) { return !mask || mask->Has(cpu); });
}

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

}  // namespace sluice::probes

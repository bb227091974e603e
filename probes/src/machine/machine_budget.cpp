#include "sluice/probes/machine_budget.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "machine/cgroup_limits.h"
#include "machine/core_hints.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/psi.h"
#include "sluice/probes/shared_memory.h"

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

std::optional<CoreBound> OnlineCpus(const std::string& root) {
  const auto list = ReadSmallFile(root + "/sys/devices/system/cpu/online");
  const auto cpus = list ? CountCpuList(*list) : std::nullopt;
  if (!cpus) return std::nullopt;
  return CoreBound{static_cast<double>(*cpus), fmt::format("/sys/devices/system/cpu/online: {} CPUs", *cpus)};
}

// The tightest first; of equal ones that which explains the others.
std::vector<CoreBound> CoreBounds(const CgroupLimits& limits, int affinity, const std::string& process,
                                  const std::string& root) {
  std::vector<CoreBound> bounds;
  if (auto online = OnlineCpus(root)) bounds.push_back(std::move(*online));
  if (limits.cpuset) bounds.push_back(*limits.cpuset);
  bounds.push_back({static_cast<double>(affinity),
                    fmt::format("/proc/{}/status: Cpus_allowed_list names {} CPUs", process, affinity)});
  for (const CpuQuota& quota : limits.quotas) bounds.push_back(quota.bound);
  std::ranges::stable_sort(bounds, {}, &CoreBound::cores);
  return bounds;
}

std::optional<MemoryBound> MachineMemory(const std::string& root) {
  const auto meminfo = ReadSmallFile(root + "/proc/meminfo");
  if (!meminfo) return std::nullopt;
  const auto total = FindCount(*meminfo, "MemTotal", 1024);
  const auto left = FindCount(*meminfo, "MemAvailable", 1024);
  if (!left) return std::nullopt;
  return MemoryBound{{total.value_or(*left)}, Bytes{*left}, "/proc/meminfo: MemAvailable"};
}

// That with the least left first; those that do not say what is left last.
std::vector<MemoryBound> MemoryBounds(const CgroupLimits& limits, const std::string& root) {
  std::vector<MemoryBound> bounds = limits.memory;
  if (auto machine = MachineMemory(root)) bounds.push_back(std::move(*machine));
  std::ranges::stable_sort(bounds, {}, [](const MemoryBound& bound) {
    return bound.left.value_or(Bytes{std::numeric_limits<std::int64_t>::max()});
  });
  return bounds;
}

// A canned tree has none.
std::optional<MemoryBound> SharedMemoryOf(const std::string& process, const std::string& root) {
  if (!root.empty()) return std::nullopt;
  const auto memory = ReadSharedMemory(fmt::format("/proc/{}/root{}", process, kSharedMemoryFolder));
  if (!memory) return std::nullopt;
  return MemoryBound{memory->size, memory->free, kSharedMemoryFolder};
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
  const CgroupLimits groups = ReadCgroupLimits(pid, root);
  MachineBudget budget;
  budget.affinity_cpus = AffinityCpus(pid, process, root);
  budget.throttled = groups.throttled;
  if (!groups.quotas.empty()) budget.quota_cores = groups.quotas.front().bound.cores;
  if (!groups.memory.empty()) budget.memory_limit = groups.memory.front().limit;
  MachineLimits& limits = budget.limits;
  limits.cores = CoreBounds(groups, budget.affinity_cpus, process, root);
  limits.memory = MemoryBounds(groups, root);
  budget.cores = limits.cores.front().cores;
  if (!limits.memory.empty()) budget.memory_available = limits.memory.front().left.value_or(Bytes{0});
  limits.cpus = budget.affinity_cpus;
  limits.quotas = groups.quotas;
  limits.shared_memory = SharedMemoryOf(process, root);
  limits.hints = ParseCoreHints(ReadSmallFile(fmt::format("{}/proc/{}/environ", root, process)).value_or(""));
  limits.pressure = ReadPressureTimes(pid, root);
  if (const auto times = ReadCpuTimes(pid, root)) {
    limits.busy = FromTicks(times->busy_ticks);
    limits.steal = FromTicks(times->stolen_ticks);
  }
  return budget;
}

}  // namespace sluice::probes

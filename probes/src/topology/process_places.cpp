#include "sluice/probes/process_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <system_error>

#include "machine/cgroup_paths.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr std::array<std::string_view, 8> kPinning{"OMP_PROC_BIND",    "OMP_PLACES",     "GOMP_CPU_AFFINITY",
                                                   "KMP_AFFINITY",     "KMP_HW_SUBSET",  "SLURM_CPU_BIND",
                                                   "I_MPI_PIN_DOMAIN", "MV2_CPU_MAPPING"};

// The numbers that a folder of /proc has for names, in order.
std::vector<int> NumbersIn(const std::string& folder) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto number = ParseInteger(entry.path().filename().string());
    if (number && *number > 0 && *number <= INT32_MAX) numbers.push_back(static_cast<int>(*number));
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::optional<ThreadPlace> ReadThreadPlace(const std::string& folder, int tid) {
  const auto status = ReadSmallFile(folder + "/status");
  const auto list = status ? FindLine(*status, "Cpus_allowed_list") : std::nullopt;
  const auto cpus = list ? ParseCpuList(*list) : std::nullopt;
  if (!cpus) return std::nullopt;
  ThreadPlace place{
      .tid = tid, .name = std::string(FindLine(*status, "Name").value_or("")), .may_use = *cpus};
  const auto stat = ReadSmallFile(folder + "/stat");
  const auto schedstat = ReadSmallFile(folder + "/schedstat");
  const auto times = schedstat ? ParseSchedStat(*schedstat) : std::nullopt;
  if (stat) place.last_cpu = ParseLastCpu(*stat);
  if (times) place.on_cpu = times->on_cpu;
  return place;
}

// The first level from the process's own up that says something; v1's file has another name.
CpuSet AllowedByGroup(int pid, const std::string& root) {
  const CgroupFolders groups = ReadCgroupFolders(pid, "cpuset", root);
  for (const std::string& folder : groups.folders) {
    for (const char* file : {"/cpuset.cpus.effective", "/cpuset.effective_cpus", "/cpuset.cpus"}) {
      const auto text = ReadSmallFile(folder + file);
      const auto cpus = text ? ParseCpuList(*text) : std::nullopt;
      if (cpus && !cpus->empty()) return *cpus;
    }
  }
  return {};
}

std::map<int, int> ReadParents(const std::string& root) {
  std::map<int, int> parents;
  for (const int pid : NumbersIn(root + "/proc")) {
    if (const auto stat = ReadProcStat(pid, root)) parents[pid] = stat->parent;
  }
  return parents;
}

}  // namespace

std::vector<std::string> ParsePinnedBy(std::string_view environ) {
  std::vector<std::string> found;
  while (!environ.empty()) {
    const auto end = std::min(environ.find('\0'), environ.size());
    const std::string_view variable = environ.substr(0, end);
    if (std::ranges::count(kPinning, variable.substr(0, variable.find('='))) != 0)
      found.emplace_back(variable);
    environ.remove_prefix(std::min(end + 1, environ.size()));
  }
  return found;
}

std::optional<ProcessPlace> ReadProcessPlace(int pid, const std::string& root) {
  const auto stat = ReadProcStat(pid, root);
  if (!stat) return std::nullopt;
  ProcessPlace place{.pid = pid,
                     .parent = stat->parent,
                     .name = stat->name,
                     .threads = {},
                     .allowed = AllowedByGroup(pid, root),
                     .pinned_by = {}};
  const std::string folder = fmt::format("{}/proc/{}", root, pid);
  if (const auto environ = ReadSmallFile(folder + "/environ")) place.pinned_by = ParsePinnedBy(*environ);
  for (const int tid : NumbersIn(folder + "/task")) {
    if (auto thread = ReadThreadPlace(fmt::format("{}/task/{}", folder, tid), tid))
      place.threads.push_back(std::move(*thread));
  }
  std::ranges::stable_partition(place.threads, [&](const ThreadPlace& thread) { return thread.tid == pid; });
  if (place.threads.empty()) return std::nullopt;
  return place;
}

std::vector<ProcessPlace> ReadFamilyPlaces(int pid, const std::string& root) {
  const std::map<int, int> parents = ReadParents(root);
  std::vector<int> pids{pid};
  for (std::size_t i = 0; i < pids.size(); ++i) {
    for (const auto& [child, parent] : parents) {
      if (parent == pids[i] && std::ranges::count(pids, child) == 0) pids.push_back(child);
    }
  }
  std::vector<ProcessPlace> places;
  for (const int member : pids) {
    if (auto place = ReadProcessPlace(member, root)) places.push_back(std::move(*place));
  }
  return places;
}

}  // namespace sluice::probes

#include "doctor/doctor_machine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sluice/autotune/place_findings.h"
#include "sluice/base/text.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/process_places.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/probes/shared_memory.h"
#include "sluice/probes/topology.h"
#include "sluice/wrap/gpu_probe.h"
#include "sluice/wrap/rank_environment.h"
#include "topology/measured_families.h"

namespace sluice::app {
namespace {

using State = exporters::DoctorCheck::State;

constexpr Bytes kLeastFree = 16_MiB;  // a segment takes less than one
constexpr Bytes kRoomForBatches = 512_MiB;
constexpr std::uint64_t kLeastFiles = 64;
constexpr std::uint64_t kRoomForWorkers = 1024;

std::string LimitText(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

exporters::DoctorCheck CheckSharedMemory() {
  const auto memory = probes::ReadSharedMemory();
  if (!memory) {
    return {State::kBad, probes::kSharedMemoryFolder, memory.error().message,
            "mount a tmpfs there: DataLoader workers need it too", "shared_memory"};
  }
  return app::CheckSharedMemory(probes::kSharedMemoryFolder, memory->size, memory->free);
}

exporters::DoctorCheck CheckFolder(const std::string& folder) {
  const auto usable = probes::CheckSegmentFolder(folder);
  if (usable) return {State::kGood, "segments", folder + ", ours alone", ""};
  return {State::kBad, "segments", usable.error().message, "or name another folder in SLUICE_SEGMENT_FOLDER"};
}

exporters::DoctorCheck CheckCoreLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_CORE, &limit);
  const auto pattern = probes::ReadSmallFile("/proc/sys/kernel/core_pattern").value_or("unknown\n");
  return {State::kNote, "core dumps",
          fmt::format("limit {}, to {}", LimitText(limit.rlim_cur), pattern.substr(0, pattern.find('\n'))),
          ""};
}

exporters::DoctorCheck CheckPtrace() {
  const auto scope = probes::ReadSmallFile("/proc/sys/kernel/yama/ptrace_scope");
  const auto level = scope ? probes::ParseInteger(*scope) : std::nullopt;
  if (!level) return {State::kNote, "ptrace scope", "not restricted by Yama", ""};
  return {State::kNote, "ptrace scope",
          fmt::format("{}{}", *level,
                      *level >= 2 ? ": other processes' I/O and PSS are hidden unless you are root" : ""),
          ""};
}

exporters::DoctorCheck CheckGpus() {
  const auto probe = wrap::GpuProbe::Open();
  if (probe == nullptr) return {State::kNote, "GPUs", "no NVML library: GPU utilisation is not measured", ""};
  probe->Sample();
  std::string names;
  for (const GpuUse& gpu : probe->Use()) names += (names.empty() ? "" : ", ") + gpu.name;
  return {State::kGood, "GPUs", names.empty() ? "NVML answers for none" : names, ""};
}

exporters::DoctorCheck CheckSwitches(const wrap::Lookup& variable) {
  if (wrap::IsDisabled(variable))
    return {State::kBad, "SLUICE_DISABLE", "set: nothing is wrapped", "unset SLUICE_DISABLE"};
  if (wrap::IsWrapped(variable)) {
    return {State::kNote, "wrapped", "this shell is inside a wrapped run: a wrap only starts its command",
            ""};
  }
  return {State::kGood, "switches", "SLUICE_DISABLE is not set, and this is not inside a wrapped run", ""};
}

}  // namespace

exporters::DoctorCheck CheckSharedMemory(const std::string& folder, Bytes size, Bytes free) {
  const std::string found = fmt::format("{} free of {}", FormatBytes(free), FormatBytes(size));
  exporters::DoctorCheck check{State::kGood, folder,          found,
                               "",           "shared_memory", {{"statfs of " + folder, found}}};
  if (free < kLeastFree) {
    check.state = State::kBad;
    check.remedy = "remove what is left there (sluice ls --clean), or enlarge it";
    check.costs = "no rights; --clean takes away only what dead runs have left";
  } else if (free < kRoomForBatches) {
    check.state = State::kNote;
    check.found += ": little for the batches that workers hand over";
    check.remedy = "docker run --shm-size=8g, or mount -o remount,size=8G " + folder;
    check.costs = "a new container, or root and until the next start; what lies there counts as memory";
  }
  return check;
}

exporters::DoctorCheck CheckOpenFiles(std::uint64_t limit) {
  const std::string found = limit == RLIM_INFINITY ? "unlimited" : fmt::format("at most {}", limit);
  exporters::DoctorCheck check{State::kGood, "open files", found, "", "", {{"RLIMIT_NOFILE", found}}};
  if (limit >= kRoomForWorkers) return check;
  check.state = limit < kLeastFiles ? State::kBad : State::kNote;
  if (limit >= kLeastFiles) check.found += ": few for many workers";
  check.remedy = "ulimit -n 4096";
  check.costs = "root above the hard limit; holds for this shell and what it starts";
  return check;
}

exporters::DoctorCheck CheckCores(const probes::MachineBudget& budget) {
  const CoreBound& least = budget.limits.cores.front();
  const std::string found = fmt::format("{:g} ({})", budget.cores, least.origin);
  exporters::DoctorCheck check{State::kGood, "cores", found, ""};
  for (const CoreBound& bound : budget.limits.cores)
    check.evidence.push_back({bound.origin, fmt::format("{:g} cores", bound.cores)});
  if (!budget.quota_cores || *budget.quota_cores >= budget.affinity_cpus) return check;
  check.state = State::kNote;
  check.found += fmt::format("; {0} by affinity: PyTorch and OpenMP see {0}", budget.affinity_cpus);
  check.remedy = fmt::format("OMP_NUM_THREADS={}; tuning keeps to the quota",
                             std::max(1, static_cast<int>(*budget.quota_cores)));
  check.costs = "no rights; a new start";
  return check;
}

std::vector<exporters::DoctorCheck> CheckHints(const probes::MachineBudget& budget) {
  std::vector<exporters::DoctorCheck> checks;
  for (const CoreHint& hint : budget.limits.hints) {
    if (!hint.cores || *hint.cores >= budget.cores) {
      checks.push_back({State::kGood, "hint", hint.origin, ""});
    } else {
      checks.push_back({State::kNote, "hint",
                        fmt::format("{} in the environment, and nothing holds the run to it: it may use {:g}",
                                    hint.origin, budget.cores),
                        fmt::format("--cores {:g} keeps to it", *hint.cores)});
    }
  }
  return checks;
}

exporters::DoctorCheck CheckMemory(const MachineLimits& limits) {
  const auto least =
      std::ranges::find_if(limits.memory, [](const auto& bound) { return bound.left.has_value(); });
  if (least == limits.memory.end()) return {State::kNote, "memory", "what is free cannot be read", ""};
  exporters::DoctorCheck check{
      State::kGood, "memory",
      fmt::format("{} free ({})", FormatBytes(least->left.value_or(Bytes{0})), least->origin), ""};
  for (const MemoryBound& bound : limits.memory) {
    check.evidence.push_back(
        {bound.origin, fmt::format("{}, {} left", FormatBytes(bound.limit),
                                   bound.left ? FormatBytes(*bound.left) : "not told how much")});
  }
  return check;
}

std::vector<exporters::DoctorCheck> CheckRanks(const wrap::Lookup& variable) {
  std::vector<exporters::DoctorCheck> checks;
  for (const auto& statement : wrap::ReadRankEnvironment(variable)) {
    if (statement) {
      checks.push_back({State::kGood, "rank", statement->said + ", says " + statement->launcher, ""});
    } else {
      checks.push_back(
          {State::kBad, "rank", statement.error().message, "unset it, or start by the launcher"});
    }
  }
  if (checks.empty())
    checks.push_back({State::kNote, "rank", "no launcher says anything: a run by itself", ""});
  return checks;
}

std::vector<exporters::DoctorCheck> PlaceChecks(const std::vector<PlaceFinding>& findings) {
  std::vector<exporters::DoctorCheck> checks;
  checks.reserve(findings.size());
  for (const PlaceFinding& finding : findings)
    checks.push_back({State::kNote, "affinity", finding.sentence, finding.remedy});
  if (checks.empty()) checks.push_back({State::kGood, "affinity", "nothing is pinned where it hinders", ""});
  return checks;
}

std::vector<exporters::DoctorCheck> CheckPlaces() {
  const auto topology = probes::ReadTopology();
  const auto here = probes::ReadProcessPlace(getpid());
  if (!topology || !here)
    return {{State::kNote, "affinity", "the topology of this machine cannot be read", ""}};
  std::vector<PlaceFinding> findings = autotune::FindBeforeStart(*topology, *here);
  for (PlaceFinding& finding : FindingsOf(*topology, MeasuredFamilies()))
    findings.push_back(std::move(finding));
  return PlaceChecks(findings);
}

std::vector<exporters::DoctorCheck> CheckMachine(const wrap::Lookup& variable,
                                                 const std::string& segment_folder) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const probes::MachineBudget budget = probes::ReadMachineBudget(0);
  std::vector<exporters::DoctorCheck> checks{CheckSwitches(variable), CheckFolder(segment_folder),
                                             CheckSharedMemory(),     CheckOpenFiles(files.rlim_cur),
                                             CheckCores(budget),      CheckMemory(budget.limits)};
  for (exporters::DoctorCheck& check : CheckHints(budget)) checks.push_back(std::move(check));
  for (exporters::DoctorCheck& check : CheckPlaces()) checks.push_back(std::move(check));
  for (exporters::DoctorCheck& check : CheckRanks(variable)) checks.push_back(std::move(check));
  checks.push_back(CheckGpus());
  checks.push_back(CheckCoreLimit());
  checks.push_back(CheckPtrace());
  return checks;
}

}  // namespace sluice::app

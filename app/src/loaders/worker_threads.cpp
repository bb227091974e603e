#include "loaders/worker_threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "sluice/probes/proc_files.h"

namespace sluice::app {
namespace {

constexpr int kOwnThreads = 3;         // of a worker of PyTorch: fetching, handing over, watching its parent
constexpr int kMostThreads = 1 << 22;  // that a kernel has pids for
constexpr double kMostSystem = 0.5;    // of the CPU time: threads that fight spend it in the kernel
constexpr double kEnoughCpu = 1;       // seconds; less says nothing

struct Known {
  std::string_view part;  // of a file's name
  const char* name;
};
constexpr Known kKnown[] = {{"/libgomp", "OpenMP"},        {"/libomp", "OpenMP"}, {"/libiomp5", "OpenMP"},
                            {"openblas", "OpenBLAS"},      {"/libmkl_rt", "MKL"}, {"/libblis", "BLIS"},
                            {"/libopencv_core", "OpenCV"}, {"numba", "numba"}};

}  // namespace

std::set<std::string> ThreadedLibraries(std::string_view maps) {
  std::set<std::string> found;
  for (const Known& known : kKnown) {
    if (maps.find(known.part) != std::string_view::npos) found.insert(known.name);
  }
  return found;
}

std::optional<WorkerThreads> ReadWorkerThreads(int pid, const std::string& root) {
  const auto status = probes::ReadSmallFile(fmt::format("{}/proc/{}/status", root, pid));
  const auto stat = probes::ReadProcStat(pid, root);
  const auto threads = status ? probes::FindCount(*status, "Threads") : std::nullopt;
  if (!threads || !stat) return std::nullopt;
  return WorkerThreads{.threads = static_cast<int>(std::min<std::int64_t>(*threads, kMostThreads)),
                       .libraries = {},
                       .user = probes::FromTicks(stat->utime_ticks),
                       .system = probes::FromTicks(stat->stime_ticks)};
}

bool HasLibraryThreads(const WorkerThreads& worker) {
  return worker.threads > kOwnThreads;
}

std::set<std::string> ReadThreadedLibraries(int pid, const std::string& root) {
  const auto maps = probes::ReadSmallFile(fmt::format("{}/proc/{}/maps", root, pid));
  return ThreadedLibraries(maps.value_or(""));
}

std::string CrowdedThreads(const std::vector<WorkerThreads>& workers, double cores, bool limited) {
  int extra = 0, all = 0;
  double user = 0, system = 0;
  std::set<std::string> libraries;
  for (const WorkerThreads& worker : workers) {
    all += worker.threads;
    extra += std::max(worker.threads - kOwnThreads, 0);
    user += Seconds(worker.user);
    system += Seconds(worker.system);
    libraries.insert(worker.libraries.begin(), worker.libraries.end());
  }
  if (extra <= cores || libraries.empty()) return {};
  const bool fight = user + system >= kEnoughCpu && system > kMostSystem * (user + system);
  if (limited && !fight) return {};  // they are there, but idle
  return fmt::format(
      "{} worker{} ha{} {} threads on {:g} cores ({}){}; {}", workers.size(), workers.size() == 1 ? "" : "s",
      workers.size() == 1 ? "s" : "ve", all, cores, fmt::join(libraries, ", "),
      fight ? fmt::format(", and {:.0f}% of their CPU time is the kernel's", 100 * system / (user + system))
            : "",
      limited ? "--tune-threads could not set all of them; try OMP_NUM_THREADS=1"
              : "--tune-threads keeps new workers to their share, or set OMP_NUM_THREADS=1");
}

}  // namespace sluice::app

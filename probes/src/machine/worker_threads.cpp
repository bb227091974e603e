#include "sluice/probes/worker_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr int kOwnThreads = 3;         // of a worker of PyTorch: fetching, handing over, watching its parent
constexpr int kMostThreads = 1 << 22;  // that a kernel has pids for

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
  const auto status = ReadSmallFile(fmt::format("{}/proc/{}/status", root, pid));
  const auto stat = ReadProcStat(pid, root);
  const auto threads = status ? FindCount(*status, "Threads") : std::nullopt;
  if (!threads || !stat) return std::nullopt;
  return WorkerThreads{.threads = static_cast<int>(std::min<std::int64_t>(*threads, kMostThreads)),
                       .libraries = {},
                       .user = FromTicks(stat->utime_ticks),
                       .system = FromTicks(stat->stime_ticks)};
}

int LibraryThreads(const WorkerThreads& worker) {
  return std::max(worker.threads - kOwnThreads, 0);
}

std::set<std::string> ReadThreadedLibraries(int pid, const std::string& root) {
  const auto maps = ReadSmallFile(fmt::format("{}/proc/{}/maps", root, pid));
  return ThreadedLibraries(maps.value_or(""));
}

}  // namespace sluice::probes

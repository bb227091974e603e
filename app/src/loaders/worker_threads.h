// Threads of libraries (OpenMP, BLAS, OpenCV ...) inside worker processes: one per core and worker fight for
// the same cores, and the workers are the parallelism already. Pure functions, but for the reader.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::app {

struct WorkerThreads {
  int threads = 0;
  std::set<std::string> libraries;  // that bring threads: "OpenMP", "OpenBLAS"
  Nanos user{0}, system{0};
};

// The libraries that /proc/<pid>/maps shows.
[[nodiscard]] std::set<std::string> ThreadedLibraries(std::string_view maps);
// nullopt: no such process. `root` is prefixed to /proc.
[[nodiscard]] std::optional<WorkerThreads> ReadWorkerThreads(int pid, const std::string& root = "");
// Whether it has threads beside those of PyTorch.
[[nodiscard]] bool HasLibraryThreads(const WorkerThreads& worker);
// Costly: the kernel writes thousands of lines.
[[nodiscard]] std::set<std::string> ReadThreadedLibraries(int pid, const std::string& root = "");

// What is wrong with the threads of these workers on so many cores, and the remedy; empty: nothing.
// `limited`: --tune-threads was given.
[[nodiscard]] std::string CrowdedThreads(const std::vector<WorkerThreads>& workers, double cores,
                                         bool limited);

}  // namespace sluice::app

// Threads of libraries (OpenMP, BLAS, OpenCV ...) inside worker processes. Immutable functions; Read...()
// look into /proc.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::probes {

struct WorkerThreads {
  int threads = 0;
  std::set<std::string> libraries;  // that bring threads: "OpenMP", "OpenBLAS"
  Nanos user{0}, system{0};
};

// The libraries that /proc/<pid>/maps shows.
[[nodiscard]] std::set<std::string> ThreadedLibraries(std::string_view maps);
// nullopt: no such process. `root` is prefixed to /proc.
[[nodiscard]] std::optional<WorkerThreads> ReadWorkerThreads(int pid, const std::string& root = "");
// Its threads beside those of PyTorch.
[[nodiscard]] int LibraryThreads(const WorkerThreads& worker);
// Costly: the kernel writes thousands of lines.
[[nodiscard]] std::set<std::string> ReadThreadedLibraries(int pid, const std::string& root = "");

}  // namespace sluice::probes

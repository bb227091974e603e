#include "loaders/crowd.h"

namespace sluice::app {
namespace {

constexpr double kMostSystem = 0.5;  // of the CPU time: threads that fight spend it in the kernel
constexpr double kEnoughCpu = 1;     // seconds; less says nothing

}  // namespace

std::optional<exporters::CrowdedThreads> FindCrowd(const std::vector<probes::WorkerThreads>& workers,
                                                   double cores, bool limited) {
  exporters::CrowdedThreads crowd{.workers = workers.size(), .cores = cores, .limited = limited};
  int extra = 0;
  Nanos user{0}, system{0};
  for (const probes::WorkerThreads& worker : workers) {
    crowd.threads += worker.threads;
    extra += probes::LibraryThreads(worker);
    user += worker.user;
    system += worker.system;
    crowd.libraries.insert(worker.libraries.begin(), worker.libraries.end());
  }
  if (extra <= cores || crowd.libraries.empty()) return std::nullopt;
  const Fraction in_kernel = Share(system, user + system);
  if (Seconds(user + system) >= kEnoughCpu && in_kernel.value > kMostSystem) crowd.in_kernel = in_kernel;
  if (limited && !crowd.in_kernel) return std::nullopt;  // they are there, but idle
  return crowd;
}

}  // namespace sluice::app

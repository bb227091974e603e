#include "sluice/autotune/host_arbiter.h"

#include <algorithm>
#include <map>

namespace sluice::autotune {

std::vector<double> ShareCores(double cores, const std::vector<Claim>& claims) {
  double used = 0;
  std::map<int, double> processes;
  for (const Claim& claim : claims) {
    used += claim.worker_cores;
    processes[claim.process] = std::max(processes[claim.process], claim.process_cores);
  }
  for (const auto& [process, own] : processes) used += own;
  const auto active = std::ranges::count_if(claims, &Claim::active);
  std::vector<double> shares;
  for (const Claim& claim : claims) {
    const double left = cores - used + claim.worker_cores + processes[claim.process];
    const double even = cores / static_cast<double>(std::max<std::ptrdiff_t>(active, 1));
    shares.push_back(std::clamp(std::max(left, even), 0.0, cores));
  }
  return shares;
}

std::vector<Bytes> ShareMemory(Bytes limit, Bytes used, const std::vector<Claim>& claims) {
  std::vector<Bytes> shares;
  shares.reserve(claims.size());
  for (const Claim& claim : claims) {
    shares.push_back({std::max<std::int64_t>(limit.count - used.count + claim.held.count, 1)});
  }
  return shares;
}

}  // namespace sluice::autotune

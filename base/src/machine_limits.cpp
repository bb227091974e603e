#include "sluice/base/machine_limits.h"

#include <fmt/format.h>

#include <cmath>

namespace sluice {
namespace {

constexpr Fraction kMaterial{0.05};  // of the periods

std::string QuotaText(double cores) {
  const bool tenths = std::abs(std::round(cores * 10) - cores * 10) < 1e-6;
  return tenths ? fmt::format("{:.1f}", cores) : fmt::format("{:.2f}", cores);
}

}  // namespace

std::optional<Bytes> MemoryLeft(const MachineLimits& limits) {
  return limits.memory.empty() ? std::nullopt : limits.memory.front().left;
}

std::optional<QuotaUse> UseBetween(const QuotaUse& from, const QuotaUse& to) {
  if (to.periods < from.periods || to.throttled_periods < from.throttled_periods ||
      to.throttled < from.throttled) {
    return std::nullopt;
  }
  return QuotaUse{to.periods - from.periods, to.throttled_periods - from.throttled_periods,
                  to.throttled - from.throttled};
}

std::optional<Fraction> ThrottledShare(const QuotaUse& use) {
  if (use.periods == 0 || use.throttled_periods > use.periods) return std::nullopt;
  return Fraction{static_cast<double>(use.throttled_periods) / static_cast<double>(use.periods)};
}

const CpuQuota* ThrottlingQuota(const MachineLimits& limits) {
  const CpuQuota* most = nullptr;
  for (const CpuQuota& quota : limits.quotas) {
    if (!quota.throttled_share || *quota.throttled_share < kMaterial) continue;
    if (most == nullptr || most->throttled_share < quota.throttled_share) most = &quota;
  }
  return most;
}

std::string ThrottledText(const MachineLimits& limits, const CpuQuota& quota) {
  return fmt::format("throttled by the cgroup quota: {} of {} cores", QuotaText(quota.bound.cores),
                     limits.cpus);
}

}  // namespace sluice

#include "json/limits_json.h"

#include <algorithm>

namespace sluice::exporters {
namespace {

const MachineLimits& LimitsOf(const Snapshot& seen) {
  static const MachineLimits none;
  return seen.machine ? *seen.machine : none;
}

Json MemoryBoundJson(const MemoryBound& bound) {
  return {{"limit_bytes", bound.limit.count}, {"left_bytes", OrNull(bound.left)}, {"origin", bound.origin}};
}

std::optional<QuotaUse> UseSince(const MachineLimits& from, const CpuQuota& quota) {
  const auto before = std::ranges::find(from.quotas, quota.group, &CpuQuota::group);
  if (before == from.quotas.end()) return std::nullopt;
  const auto &earlier = before->use, &later = quota.use;
  if (!earlier || !later) return std::nullopt;
  return UseBetween(*earlier, *later);
}

Json QuotaJson(const MachineLimits& from, const CpuQuota& quota) {
  const auto use = UseSince(from, quota);
  return {{"group", quota.group},
          {"cores", Number(quota.bound.cores)},
          {"periods", use ? Json(use->periods) : Json(nullptr)},
          {"throttled_periods", use ? Json(use->throttled_periods) : Json(nullptr)},
          {"throttled_seconds", use ? Json(InSeconds(use->throttled)) : Json(nullptr)},
          {"throttled_fraction", OrNull(use ? ThrottledShare(*use) : std::nullopt)}};
}

// A counter that fell is another one.
std::optional<Nanos> Grown(std::optional<Nanos> from, std::optional<Nanos> to) {
  if (!from || !to || *to < *from) return std::nullopt;
  return *to - *from;
}

Json WaitedJson(const std::optional<PressureTime>& from, const std::optional<PressureTime>& to) {
  if (!from || !to) return nullptr;
  return {{"some_seconds", OrNull(Grown(from->some, to->some))},
          {"full_seconds", OrNull(Grown(from->full, to->full))}};
}

}  // namespace

Json CoreBoundsJson(const std::vector<CoreBound>& bounds) {
  Json list = Json::array();
  for (const CoreBound& bound : bounds)
    list.push_back({{"cores", Number(bound.cores)}, {"origin", bound.origin}});
  return list;
}

Json MemoryBoundsJson(const std::vector<MemoryBound>& bounds) {
  Json list = Json::array();
  for (const MemoryBound& bound : bounds) list.push_back(MemoryBoundJson(bound));
  return list;
}

Json SharedMemoryJson(const MachineLimits& limits) {
  return limits.shared_memory ? MemoryBoundJson(*limits.shared_memory) : Json(nullptr);
}

Json HintsJson(const std::vector<CoreHint>& hints) {
  Json list = Json::array();
  for (const CoreHint& hint : hints) list.push_back({{"cores", OrNull(hint.cores)}, {"origin", hint.origin}});
  return list;
}

Json ThrottlingJson(const Snapshot& from, const Snapshot& to) {
  Json list = Json::array();
  for (const CpuQuota& quota : LimitsOf(to).quotas) list.push_back(QuotaJson(LimitsOf(from), quota));
  return list;
}

Json PressureJson(const Snapshot& from, const Snapshot& to) {
  const MachineLimits &before = LimitsOf(from), &now = LimitsOf(to);
  if (now.pressure.origin.empty() || before.pressure.origin != now.pressure.origin) return nullptr;
  return {{"origin", now.pressure.origin},
          {"cpu", WaitedJson(before.pressure.cpu, now.pressure.cpu)},
          {"memory", WaitedJson(before.pressure.memory, now.pressure.memory)},
          {"io", WaitedJson(before.pressure.io, now.pressure.io)}};
}

std::optional<Nanos> StealBetween(const Snapshot& from, const Snapshot& to) {
  return Grown(LimitsOf(from).steal, LimitsOf(to).steal);
}

}  // namespace sluice::exporters

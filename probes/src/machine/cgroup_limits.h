// What the control groups of a process allow it: every level from its own up to the top that says something.
// Pure parsers, and one reader with an injected root.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/machine_limits.h"
#include "sluice/base/units.h"

namespace sluice::probes {

// Microseconds on a core in each period of so many. Nothing that the kernel would not have taken.
struct Quota {
  std::int64_t quota = 0;
  std::int64_t period = 0;
  [[nodiscard]] double cores() const { return static_cast<double>(quota) / static_cast<double>(period); }
};
// cpu.max ("max 100000", "150000 100000"); nullopt: no limit.
[[nodiscard]] std::optional<Quota> ParseCpuMax(std::string_view text);
// The same from cpu.cfs_quota_us (-1: no limit) and cpu.cfs_period_us.
[[nodiscard]] std::optional<Quota> ParseCfsQuota(std::string_view quota, std::string_view period);
// nr_periods, nr_throttled and the time of cpu.stat; nullopt: one of them is missing, or they contradict
// each other.
[[nodiscard]] std::optional<QuotaUse> ParseQuotaUse(std::string_view cpu_stat);
// Time throttled in cpu.stat: throttled_usec (v2) or throttled_time in nanoseconds (v1).
[[nodiscard]] std::optional<Nanos> ParseThrottled(std::string_view cpu_stat);
// memory.max, memory.high or memory.limit_in_bytes; "max" and absurdly large: no limit.
[[nodiscard]] std::optional<Bytes> ParseMemoryLimit(std::string_view text);
// Pages of files in memory.stat, which the kernel gives back when memory is short.
[[nodiscard]] Bytes ParseFilePages(std::string_view memory_stat, bool v2);

struct CgroupLimits {
  std::vector<CpuQuota> quotas;     // the tightest first
  std::optional<CoreBound> cpuset;  // of the highest level that leaves as few CPUs as its own
  std::optional<Nanos> throttled;   // of the level that was held back longest
  std::vector<MemoryBound> memory;  // the tightest first
};
[[nodiscard]] CgroupLimits ReadCgroupLimits(int pid, const std::string& root);

}  // namespace sluice::probes

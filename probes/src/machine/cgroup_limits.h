// What the control groups of a process allow it: the tightest of all levels from its own up to the top.
// Pure parsers, and one reader with an injected root.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/units.h"

namespace sluice::probes {

// Cores that cpu.max ("max 100000", "150000 100000") allows; nullopt: no limit.
[[nodiscard]] std::optional<double> ParseCpuMax(std::string_view text);
// The same from cpu.cfs_quota_us (-1: no limit) and cpu.cfs_period_us.
[[nodiscard]] std::optional<double> ParseCfsQuota(std::string_view quota, std::string_view period);
// Time throttled in cpu.stat: throttled_usec (v2) or throttled_time in nanoseconds (v1).
[[nodiscard]] std::optional<Nanos> ParseThrottled(std::string_view cpu_stat);
// memory.max, memory.high or memory.limit_in_bytes; "max" and absurdly large: no limit.
[[nodiscard]] std::optional<Bytes> ParseMemoryLimit(std::string_view text);
// Pages of files in memory.stat, which the kernel gives back when memory is short.
[[nodiscard]] Bytes ParseFilePages(std::string_view memory_stat, bool v2);

struct CgroupLimits {
  std::optional<double> quota_cores;
  std::optional<Nanos> throttled;  // of the level that was held back longest
  std::optional<Bytes> memory_limit;
  std::optional<Bytes> memory_left;  // under the tightest limit, file pages counted as free
};
[[nodiscard]] CgroupLimits ReadCgroupLimits(int pid, const std::string& root);

}  // namespace sluice::probes

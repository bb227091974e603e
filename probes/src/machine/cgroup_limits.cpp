#include "machine/cgroup_limits.h"

#include <algorithm>

#include "machine/cgroup_paths.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;

std::string TextOf(const std::string& folder, const char* file) {
  return ReadSmallFile(folder + "/" + file).value_or("");
}

std::optional<double> Cores(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

template <typename T>
void Tighten(std::optional<T>& limit, const std::optional<T>& other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

void ReadCpuLevel(CgroupLimits& limits, const std::string& folder, bool v2) {
  Tighten(limits.quota_cores,
          v2 ? ParseCpuMax(TextOf(folder, "cpu.max"))
             : ParseCfsQuota(TextOf(folder, "cpu.cfs_quota_us"), TextOf(folder, "cpu.cfs_period_us")));
  const auto throttled = ParseThrottled(TextOf(folder, "cpu.stat"));
  if (throttled) limits.throttled = std::max(*throttled, limits.throttled.value_or(Nanos(0)));
}

std::optional<Bytes> LevelMemoryLimit(const std::string& folder, bool v2) {
  if (!v2) return ParseMemoryLimit(TextOf(folder, "memory.limit_in_bytes"));
  auto limit = ParseMemoryLimit(TextOf(folder, "memory.max"));
  Tighten(limit, ParseMemoryLimit(TextOf(folder, "memory.high")));
  return limit;
}

void ReadMemoryLevel(CgroupLimits& limits, const std::string& folder, bool v2) {
  const auto limit = LevelMemoryLimit(folder, v2);
  if (!limit) return;
  Tighten(limits.memory_limit, limit);
  const auto used = ParseCount(TextOf(folder, v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (!used) return;
  const Bytes files = ParseFilePages(TextOf(folder, "memory.stat"), v2);
  const Bytes held = std::max(Bytes{*used} - files, Bytes{0});
  Tighten(limits.memory_left, std::optional(std::max(*limit - held, Bytes{0})));
}

}  // namespace

std::optional<double> ParseCpuMax(std::string_view text) {
  const auto quota = ParseInteger(TakeWord(text));
  return Cores(quota, ParseInteger(text));
}

std::optional<double> ParseCfsQuota(std::string_view quota, std::string_view period) {
  return Cores(ParseInteger(quota), ParseInteger(period));
}

std::optional<Nanos> ParseThrottled(std::string_view cpu_stat) {
  if (const auto nanos = FindCount(cpu_stat, "throttled_usec", 1000)) return Nanos(*nanos);
  if (const auto nanos = FindCount(cpu_stat, "throttled_time")) return Nanos(*nanos);
  return std::nullopt;
}

std::optional<Bytes> ParseMemoryLimit(std::string_view text) {
  const auto limit = ParseInteger(text);
  if (!limit || *limit < 0 || *limit >= kNoLimit) return std::nullopt;
  return Bytes{*limit};
}

Bytes ParseFilePages(std::string_view memory_stat, bool v2) {
  const auto inactive = FindCount(memory_stat, v2 ? "inactive_file" : "total_inactive_file");
  const auto active = FindCount(memory_stat, v2 ? "active_file" : "total_active_file");
  return {inactive.value_or(0) + active.value_or(0)};
}

CgroupLimits ReadCgroupLimits(int pid, const std::string& root) {
  CgroupLimits limits;
  const auto cpu = ReadCgroupFolders(pid, "cpu", root);
  for (const auto& folder : cpu.folders) ReadCpuLevel(limits, folder, cpu.v2);
  const auto memory = ReadCgroupFolders(pid, "memory", root);
  for (const auto& folder : memory.folders) ReadMemoryLevel(limits, folder, memory.v2);
  return limits;
}

}  // namespace sluice::probes

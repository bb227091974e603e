#include "machine/cgroup_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/cgroup_paths.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 60;
// What the kernel takes, in microseconds (kernel/sched/core.c: min_cfs_quota_period, max_cfs_quota_period).
constexpr std::int64_t kShortest = 1000;
constexpr std::int64_t kLongestPeriod = 1'000'000;

std::optional<Quota> Possible(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota < kShortest || *period < kShortest || *period > kLongestPeriod) {
    return std::nullopt;
  }
  return Quota{*quota, *period};
}

// One level of the groups of a controller.
struct Level {
  std::string folder;
  std::string group;  // "cgroup /job"
  bool v2 = false;
  [[nodiscard]] std::string Read(const char* file) const {
    return ReadSmallFile(folder + "/" + file).value_or("");
  }
};

std::vector<Level> LevelsOf(int pid, const char* controller, const std::string& root) {
  const auto found = ReadCgroupFolders(pid, controller, root);
  std::vector<Level> levels;
  levels.reserve(found.folders.size());
  for (std::size_t i = 0; i < found.folders.size(); ++i)
    levels.push_back({found.folders[i], "cgroup " + found.names[i], found.v2});
  return levels;
}

std::optional<CpuQuota> QuotaOf(const Level& level) {
  const auto quota = level.v2
                         ? ParseCpuMax(level.Read("cpu.max"))
                         : ParseCfsQuota(level.Read("cpu.cfs_quota_us"), level.Read("cpu.cfs_period_us"));
  if (!quota) return std::nullopt;
  const char* const words = level.v2 ? "{}: cpu.max {} {}" : "{}: cpu.cfs_quota_us {}, cpu.cfs_period_us {}";
  return CpuQuota{
      .group = level.group,
      .bound = {quota->cores(), fmt::format(fmt::runtime(words), level.group, quota->quota, quota->period)},
      .use = ParseQuotaUse(level.Read("cpu.stat")),
      .throttled_share = {}};
}

void ReadCpuLevel(CgroupLimits& limits, const Level& level) {
  if (auto quota = QuotaOf(level)) limits.quotas.push_back(std::move(*quota));
  const auto throttled = ParseThrottled(level.Read("cpu.stat"));
  if (throttled) limits.throttled = std::max(*throttled, limits.throttled.value_or(Nanos(0)));
}

// A level without a list of its own has that of the one above it.
void ReadCpusetLevel(CgroupLimits& limits, const Level& level) {
  const char* const file = level.v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus";
  const auto cpus = CountCpuList(level.Read(file));
  if (!cpus || (limits.cpuset && *cpus > limits.cpuset->cores)) return;
  limits.cpuset =
      CoreBound{static_cast<double>(*cpus), fmt::format("{}: {} names {} CPUs", level.group, file, *cpus)};
}

void ReadMemoryLevel(CgroupLimits& limits, const Level& level) {
  const auto used = ParseCount(level.Read(level.v2 ? "memory.current" : "memory.usage_in_bytes"));
  const Bytes files = used ? ParseFilePages(level.Read("memory.stat"), level.v2) : Bytes{0};
  const auto files_of =
      level.v2 ? std::vector{"memory.max", "memory.high"} : std::vector{"memory.limit_in_bytes"};
  for (const char* const file : files_of) {
    const auto limit = ParseMemoryLimit(level.Read(file));
    if (!limit) continue;
    MemoryBound bound{*limit, {}, fmt::format("{}: {} {}", level.group, file, limit->count)};
    if (used) bound.left = std::max(*limit - std::max(Bytes{*used} - files, Bytes{0}), Bytes{0});
    limits.memory.push_back(std::move(bound));
  }
}

}  // namespace

std::optional<Quota> ParseCpuMax(std::string_view text) {
  const auto quota = ParseInteger(TakeWord(text));
  return Possible(quota, ParseInteger(text));
}

std::optional<Quota> ParseCfsQuota(std::string_view quota, std::string_view period) {
  return Possible(ParseInteger(quota), ParseInteger(period));
}

std::optional<QuotaUse> ParseQuotaUse(std::string_view cpu_stat) {
  const auto periods = FindCount(cpu_stat, "nr_periods");
  const auto throttled = FindCount(cpu_stat, "nr_throttled");
  const auto time = ParseThrottled(cpu_stat);
  if (!periods || !throttled || !time || *throttled > *periods) return std::nullopt;
  return QuotaUse{static_cast<std::uint64_t>(*periods), static_cast<std::uint64_t>(*throttled), *time};
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
  for (const Level& level : LevelsOf(pid, "cpu", root)) ReadCpuLevel(limits, level);
  for (const Level& level : LevelsOf(pid, "cpuset", root)) ReadCpusetLevel(limits, level);
  for (const Level& level : LevelsOf(pid, "memory", root)) ReadMemoryLevel(limits, level);
  std::ranges::stable_sort(limits.quotas, {}, [](const CpuQuota& quota) { return quota.bound.cores; });
  std::ranges::stable_sort(limits.memory, {}, &MemoryBound::limit);
  return limits;
}

}  // namespace sluice::probes

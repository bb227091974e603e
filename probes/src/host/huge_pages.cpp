#include "sluice/probes/huge_pages.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "sluice/probes/block_devices.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr const char* kTransparent = "/sys/kernel/mm/transparent_hugepage/";
constexpr const char* kPools = "/sys/kernel/mm/hugepages";
constexpr std::string_view kPool = "hugepages-";
constexpr std::int64_t kMostPages = std::int64_t{1} << 24;
constexpr std::int64_t kLargestPage = std::int64_t{1} << 36;

std::string Chosen(const std::string& path) {
  return ChosenWord(ReadSmallFile(path).value_or(""));
}

std::optional<std::uint64_t> CountIn(const std::string& path) {
  const auto text = ReadSmallFile(path);
  const auto count = text ? ParseCount(*text) : std::nullopt;
  if (!count || *count > kMostPages) return std::nullopt;
  return static_cast<std::uint64_t>(*count);
}

std::optional<std::uint64_t> Counter(const std::optional<std::string>& vmstat, std::string_view key) {
  const auto count = vmstat ? FindCount(*vmstat, key) : std::nullopt;
  return count.transform([](std::int64_t n) { return static_cast<std::uint64_t>(n); });
}

// "hugepages-2048kB"
std::optional<Bytes> PageOf(std::string_view name) {
  if (!name.starts_with(kPool) || !name.ends_with("kB")) return std::nullopt;
  const auto size = ParseCount(name.substr(kPool.size(), name.size() - kPool.size() - 2), 1024);
  if (!size || *size <= 0 || *size > kLargestPage) return std::nullopt;
  return Bytes{*size};
}

std::vector<HugePool> ReadPools(const std::string& root) {
  std::vector<HugePool> pools;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root + kPools, error)) {
    const auto page = PageOf(entry.path().filename().string());
    const auto pages = CountIn(entry.path() / "nr_hugepages");
    const auto free = CountIn(entry.path() / "free_hugepages");
    if (!page || !pages || !free) continue;
    pools.push_back(
        {*page, *pages, std::min(*free, *pages), CountIn(entry.path() / "resv_hugepages").value_or(0)});
  }
  std::ranges::sort(pools, {}, &HugePool::page);
  return pools;
}

}  // namespace

HugePages ReadHugePages(const std::string& root) {
  const auto vmstat = ReadSmallFile(root + "/proc/vmstat");
  return {.enabled = Chosen(root + kTransparent + "enabled"),
          .defrag = Chosen(root + kTransparent + "defrag"),
          .stalls = Counter(vmstat, "compact_stall"),
          .given = Counter(vmstat, "thp_fault_alloc"),
          .fallen_back = Counter(vmstat, "thp_fault_fallback"),
          .pools = ReadPools(root)};
}

Bytes UnusedHugePages(const HugePages& pages) {
  Bytes unused{0};
  for (const HugePool& pool : pages.pools) {
    const std::uint64_t idle = pool.free - std::min(pool.free, pool.reserved);
    unused = Sum(unused, pool.page * static_cast<std::int64_t>(idle));
  }
  return unused;
}

}  // namespace sluice::probes

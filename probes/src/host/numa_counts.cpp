#include "sluice/probes/numa_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr int kMostNodes = 1 << 10;  // that a kernel can be built for
constexpr std::string_view kPageSize = "kernelpagesize_kB=";

// "N0=12": pages of node 0.
bool AddPages(std::string_view word, std::map<int, std::int64_t>& pages) {
  if (!word.starts_with('N')) return false;
  const auto equals = word.find('=');
  if (equals == word.npos) return false;
  const auto node = ParseInteger(word.substr(1, equals - 1));
  const auto count = ParseCount(word.substr(equals + 1), 1 << 12);  // so that their bytes can be counted
  if (!node || *node < 0 || *node >= kMostNodes || !count) return false;
  pages[static_cast<int>(*node)] = *count >> 12;
  return true;
}

void AddLine(std::string_view line, std::map<int, Bytes>& sum) {
  std::map<int, std::int64_t> pages;
  std::optional<std::int64_t> size;
  while (!line.empty()) {
    const std::string_view word = TakeWord(line);
    if (word.starts_with(kPageSize))
      size = ParseCount(word.substr(kPageSize.size()), 1024);
    else
      AddPages(word, pages);
  }
  if (!size || *size <= 0 || *size > std::int64_t{1} << 40) return;  // the line was cut
  for (const auto& [node, count] : pages) {
    if (count <= (std::int64_t{1} << 60) / *size) sum[node] = Sum(sum[node], Bytes{count * *size});
  }
}

std::optional<int> Setting(const std::string& path) {
  const auto text = ReadSmallFile(path);
  const auto number = text ? ParseInteger(*text) : std::nullopt;
  if (!number || *number < 0 || *number > 0xffff) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::optional<NodeCounts> ParseNumastat(std::string_view text) {
  const auto local = FindCount(text, "local_node");
  const auto other = FindCount(text, "other_node");
  const auto miss = FindCount(text, "numa_miss");
  if (!local || !other || !miss) return std::nullopt;
  return NodeCounts{.local = static_cast<std::uint64_t>(*local),
                    .other = static_cast<std::uint64_t>(*other),
                    .miss = static_cast<std::uint64_t>(*miss)};
}

std::vector<NodeCounts> ReadNumastat(const std::string& root) {
  std::vector<NodeCounts> nodes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/sys/devices/system/node", error)) {
    const std::string name = entry.path().filename();
    const auto number = name.starts_with("node") ? ParseInteger(name.substr(4)) : std::nullopt;
    if (!number || *number < 0 || *number >= kMostNodes) continue;
    const auto text = ReadSmallFile(entry.path() / "numastat");
    auto counts = text ? ParseNumastat(*text) : std::nullopt;
    if (!counts) continue;
    counts->node = static_cast<int>(*number);
    nodes.push_back(*counts);
  }
  std::ranges::sort(nodes, {}, &NodeCounts::node);
  return nodes;
}

std::vector<NodeCounts> CountsBetween(const std::vector<NodeCounts>& from,
                                      const std::vector<NodeCounts>& to) {
  if (from.size() != to.size()) return {};
  std::vector<NodeCounts> between;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const NodeCounts &a = from[i], &b = to[i];
    if (a.node != b.node || b.local < a.local || b.other < a.other || b.miss < a.miss) return {};
    between.push_back({b.node, b.local - a.local, b.other - a.other, b.miss - a.miss});
  }
  return between;
}

NumaSettings ReadNumaSettings(const std::string& root) {
  return {Setting(root + "/proc/sys/kernel/numa_balancing"),
          Setting(root + "/proc/sys/vm/zone_reclaim_mode")};
}

std::map<int, Bytes> ParseNumaMaps(std::string_view text) {
  std::map<int, Bytes> sum;
  text = text.substr(0, text.rfind('\n') + 1);  // a cut line may name a fraction of a number
  while (!text.empty()) AddLine(TakeLine(text), sum);
  return sum;
}

std::optional<std::map<int, Bytes>> ReadNumaMaps(int pid, const std::string& root) {
  const auto text = ReadSmallFile(fmt::format("{}/proc/{}/numa_maps", root, pid));
  if (!text) return std::nullopt;
  return ParseNumaMaps(*text);
}

}  // namespace sluice::probes

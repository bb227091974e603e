// How often memory of another node was given, where the pages of a process lie, and what the kernel is told
// about nodes. Immutable functions; parsers are pure, `root` is prefixed to /proc and /sys.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::probes {

// Pages that a node has given since the machine was started. Bound memory of another node counts as `other`
// and not as a miss.
struct NodeCounts {
  int node = 0;
  std::uint64_t local = 0;  // to threads on this node
  std::uint64_t other = 0;  // to threads on other nodes
  std::uint64_t miss = 0;   // to who wanted another node's, which was full
};

// The text of a node's numastat; nullopt: a count is missing or none.
[[nodiscard]] std::optional<NodeCounts> ParseNumastat(std::string_view text);
// By node; empty: the kernel does not tell.
[[nodiscard]] std::vector<NodeCounts> ReadNumastat(const std::string& root = "");
// Of both looks: what was given between them. Empty: they do not fit together.
[[nodiscard]] std::vector<NodeCounts> CountsBetween(const std::vector<NodeCounts>& from,
                                                    const std::vector<NodeCounts>& to);

struct NumaSettings {
  std::optional<int> balancing{};     // kernel/numa_balancing
  std::optional<int> zone_reclaim{};  // vm/zone_reclaim_mode
};
[[nodiscard]] NumaSettings ReadNumaSettings(const std::string& root = "");

// The memory of one process by node, from the text of /proc/<pid>/numa_maps; lines that are cut or none are
// left out.
[[nodiscard]] std::map<int, Bytes> ParseNumaMaps(std::string_view text);
// nullopt: not readable: no such process, another user's, or a kernel without it. Of at most the first
// megabyte, which is some ten thousand mappings; the kernel walks all their pages for it.
[[nodiscard]] std::optional<std::map<int, Bytes>> ReadNumaMaps(int pid, const std::string& root = "");

}  // namespace sluice::probes

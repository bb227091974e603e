// Huge pages: what the kernel does by itself (transparent ones), and what is set aside for who asks by name
// (hugetlb). Immutable functions; `root` is prefixed to /proc and /sys.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::probes {

// A pool of hugetlb pages of one size.
struct HugePool {
  Bytes page{0};
  std::uint64_t pages = 0;
  std::uint64_t free = 0;      // of these
  std::uint64_t reserved = 0;  // of the free ones: promised to somebody
};

// What is not told is empty.
struct HugePages {
  std::string enabled{};                       // "always", "madvise", "never"
  std::string defrag{};                        // "always", "defer", "defer+madvise", "madvise", "never"
  std::optional<std::uint64_t> stalls{};       // since boot: a thread has put memory together itself
  std::optional<std::uint64_t> given{};        // transparent ones at a page fault, since boot
  std::optional<std::uint64_t> fallen_back{};  // likewise, small ones instead
  std::vector<HugePool> pools{};               // by size
};

[[nodiscard]] HugePages ReadHugePages(const std::string& root = "");

// Set aside, and neither used nor promised.
[[nodiscard]] Bytes UnusedHugePages(const HugePages& pages);

}  // namespace sluice::probes

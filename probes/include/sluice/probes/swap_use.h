// What memory was moved out to, and how readily. Immutable functions; the parser is pure, `root` is prefixed
// to /proc and /sys.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::probes {

struct SwapArea {
  std::string name{};  // "/dev/sda3", "/swapfile"
  Bytes size{0};
  Bytes used{0};
};

struct SwapUse {
  bool told = false;  // /proc/swaps can be read
  std::vector<SwapArea> areas{};
  std::optional<int> swappiness{};  // 0..200
  std::optional<bool> zswap{};      // in front of them; nullopt: the kernel has none
};

// The text of /proc/swaps; lines that are none are left out.
[[nodiscard]] std::vector<SwapArea> ParseSwaps(std::string_view text);
[[nodiscard]] SwapUse ReadSwapUse(const std::string& root = "");

}  // namespace sluice::probes

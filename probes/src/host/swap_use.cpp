#include "sluice/probes/swap_use.h"

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr std::size_t kMostAreas = 64;

std::optional<int> Swappiness(const std::string& root) {
  const auto text = ReadSmallFile(root + "/proc/sys/vm/swappiness");
  const auto number = text ? ParseInteger(*text) : std::nullopt;
  if (!number || *number < 0 || *number > 200) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<bool> Zswap(const std::string& root) {
  const auto text = ReadSmallFile(root + "/sys/module/zswap/parameters/enabled");
  if (!text || text->empty()) return std::nullopt;
  return text->front() == 'Y' || text->front() == '1';
}

}  // namespace

// "/dev/sda3                               partition	8388604		1024		-2"
std::vector<SwapArea> ParseSwaps(std::string_view text) {
  std::vector<SwapArea> areas;
  while (!text.empty() && areas.size() < kMostAreas) {
    std::string_view line = TakeLine(text);
    const std::string_view name = TakeWord(line);
    static_cast<void>(TakeWord(line));  // its kind
    const auto size = ParseCount(TakeWord(line), 1024);
    const auto used = ParseCount(TakeWord(line), 1024);
    if (name.empty() || !size || !used) continue;  // the headings, too
    areas.push_back({std::string(name), Bytes{*size}, Bytes{*used}});
  }
  return areas;
}

SwapUse ReadSwapUse(const std::string& root) {
  const auto text = ReadSmallFile(root + "/proc/swaps");
  return {.told = text.has_value(),
          .areas = text ? ParseSwaps(*text) : std::vector<SwapArea>{},
          .swappiness = Swappiness(root),
          .zswap = Zswap(root)};
}

}  // namespace sluice::probes

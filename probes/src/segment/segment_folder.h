// The folder of segments: who may use it, how its files are named, and what is left of dead processes.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/fd.h"

namespace sluice::probes {

// "<pid>-<start_ticks>-<n>"; n counts the segments of one process.
struct SegmentName {
  int pid = 0;
  std::uint64_t start_ticks = 0;
  std::uint32_t n = 0;
};
[[nodiscard]] std::string FormatSegmentName(const SegmentName& name);
[[nodiscard]] std::optional<SegmentName> ParseSegmentName(std::string_view text);

// Makes the folder where it is missing. Refuses one that others own or may enter.
[[nodiscard]] Result<Fd> OpenSegmentFolder(const std::string& folder);

// Names of the segments in the folder, sorted; empty where there is no such folder.
[[nodiscard]] std::vector<std::string> ListSegments(const std::string& folder);

// Removes the file when it is ours, its process is dead, and nobody holds its lock (a process of another
// pid namespace looks dead from here but keeps its lock); `before` runs when that is sure, with the lock
// held. Returns whether it was removed.
bool RemoveIfDead(const std::string& folder, const std::string& name,
                  const std::function<void()>& before = nullptr);

// And its room for spans, where there is one. False: it could not be removed.
bool RemoveSegment(const std::string& path);

}  // namespace sluice::probes

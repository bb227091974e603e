#include "sluice/probes/process_memory.h"

#include <fmt/format.h>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {

std::optional<ProcessMemory> ParseSmapsRollup(std::string_view text) {
  const auto proportional = FindCount(text, "Pss", 1024);
  const auto clean = FindCount(text, "Private_Clean", 1024);
  const auto dirty = FindCount(text, "Private_Dirty", 1024);
  if (!proportional || !clean || !dirty) return std::nullopt;
  return ProcessMemory{{*proportional}, {*clean + *dirty}};
}

std::optional<ProcessMemory> ReadProcessMemory(int pid, const std::string& root) {
  const auto text = ReadSmallFile(fmt::format("{}/proc/{}/smaps_rollup", root, pid));
  return text ? ParseSmapsRollup(*text) : std::nullopt;
}

}  // namespace sluice::probes

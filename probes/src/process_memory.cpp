#include "sluice/probes/process_memory.h"

#include <fmt/format.h>

#include "sluice/probes/proc_files.h"

namespace sluice {

std::optional<ProcessMemory> ParseSmapsRollup(std::string_view text) {
  const auto proportional = FindNumber(text, "Pss");
  const auto clean = FindNumber(text, "Private_Clean");
  const auto dirty = FindNumber(text, "Private_Dirty");
  if (!proportional || !clean || !dirty) return std::nullopt;
  return ProcessMemory{{*proportional * 1024}, {(*clean + *dirty) * 1024}};
}

std::optional<ProcessMemory> ReadProcessMemory(int pid, const std::string& root) {
  const auto text = ReadSmallFile(fmt::format("{}/proc/{}/smaps_rollup", root, pid));
  return text ? ParseSmapsRollup(*text) : std::nullopt;
}

}  // namespace sluice

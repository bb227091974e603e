// What memory a process really takes: /proc/<pid>/smaps_rollup. The kernel walks all of the process's pages
// for it (about a millisecond per 100 MB, with its address space locked): not for every tick.
// Immutable functions; the parser is pure, the reader takes the root of the file system.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/units.h"

namespace sluice::probes {

struct ProcessMemory {
  Bytes proportional{0};  // PSS: each shared page divided by its users; adds up over processes
  Bytes own{0};           // private pages: what comes back when the process ends
};

// nullopt: a line is missing, or no such process.
[[nodiscard]] std::optional<ProcessMemory> ParseSmapsRollup(std::string_view text);
[[nodiscard]] std::optional<ProcessMemory> ReadProcessMemory(int pid, const std::string& root = "");

}  // namespace sluice::probes

// ProcessBinding: where a process that is not ours runs and where its memory is, changed from outside and
// read back.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/cpu_set.h"
#include "sluice/base/units.h"

namespace sluice::probes {

struct ProcessBinding {
  int threads = 0;      // that there were at the end
  int bound = 0;        // of them, those that the kernel says may run nowhere else
  std::string refusal;  // why one could not be bound; empty: none was refused
};

// All threads of a process, also those that it starts meanwhile: looks again until there is no new one.
[[nodiscard]] ProcessBinding BindProcess(int pid, const CpuSet& cpus);

// Resident pages by node, of the text of /proc/<pid>/numa_maps: bytes, of files and of memory alike.
[[nodiscard]] std::map<int, Bytes> ParseNumaMaps(std::string_view text);
// nullopt: the process is gone or not ours, or the kernel knows no nodes.
[[nodiscard]] std::optional<std::map<int, Bytes>> ReadNumaMaps(int pid, const std::string& root = "");

}  // namespace sluice::probes

// ProcessBinding: where a process that is not ours runs and where its memory is, changed from outside and
// read back.
#pragma once
#include <string>

#include "sluice/base/cpu_set.h"

namespace sluice::probes {

struct ProcessBinding {
  int threads = 0;      // that there were at the end
  int bound = 0;        // of them, those that the kernel says may run nowhere else
  std::string refusal;  // why one could not be bound; empty: none was refused
};

// All threads of a process, also those that it starts meanwhile: looks again until there is no new one.
[[nodiscard]] ProcessBinding BindProcess(int pid, const CpuSet& cpus);

}  // namespace sluice::probes

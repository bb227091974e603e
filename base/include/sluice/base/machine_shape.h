// MachineShape: what machine this is, for reports.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/units.h"

namespace sluice {

struct MachineShape {
  std::string cpu;  // the model's name; empty: unknown
  int logical_cpus = 0;
  int numa_nodes = 0;
  std::optional<Bytes> memory;
};

}  // namespace sluice

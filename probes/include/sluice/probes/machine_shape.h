// Reads what machine this is: CPU model, number of CPUs, NUMA nodes, memory, from /proc and /sys. The parser
// is pure.
#pragma once
#include <string>
#include <string_view>

#include "sluice/base/machine_shape.h"

namespace sluice::probes {

// The first model's name in the text of /proc/cpuinfo; empty: it names none.
[[nodiscard]] std::string CpuModel(std::string_view cpuinfo);
[[nodiscard]] MachineShape ReadMachineShape();

}  // namespace sluice::probes

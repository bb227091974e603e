// What machine this is, for reports: CPU model, number of CPUs, NUMA nodes, memory. Reads /proc and /sys.
#pragma once
#include "sluice/exporters/run_report.h"

namespace sluice {

[[nodiscard]] MachineShape ReadMachineShape();

}  // namespace sluice

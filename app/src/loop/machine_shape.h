// What machine this is, for reports: CPU model, number of CPUs, NUMA nodes, memory. Reads /proc and /sys; the
// parser is pure.
#pragma once
#include <string>
#include <string_view>

#include "sluice/exporters/run_report.h"

namespace sluice::app {

// The first model's name in the text of /proc/cpuinfo; empty: it names none.
[[nodiscard]] std::string CpuModel(std::string_view cpuinfo);
[[nodiscard]] exporters::MachineShape ReadMachineShape();

}  // namespace sluice::app

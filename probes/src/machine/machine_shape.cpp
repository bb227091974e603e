#include "sluice/probes/machine_shape.h"

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

int NumaNodes() {
  std::error_code error;
  int nodes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", error)) {
    const std::string name = entry.path().filename();
    nodes += name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos;
  }
  return nodes > 0 ? nodes : 1;
}

}  // namespace

std::string CpuModel(std::string_view cpuinfo) {
  while (!cpuinfo.empty()) {
    const std::string_view line = TakeLine(cpuinfo);
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    return colon == line.npos ? "" : std::string(line.substr(colon + 2));
  }
  return "";
}

MachineShape ReadMachineShape() {
  MachineShape shape;
  shape.cpu = CpuModel(ReadSmallFile("/proc/cpuinfo").value_or(""));
  shape.logical_cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  shape.numa_nodes = NumaNodes();
  shape.memory = Bytes{sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE)};
  return shape;
}

}  // namespace sluice::probes

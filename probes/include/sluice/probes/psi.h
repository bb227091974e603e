// Pressure stall information: how long tasks waited for a resource. Of the machine
// (/proc/pressure/{cpu,memory,io}) or of the control group of a process (v2, {cpu,memory,io}.pressure).
// Immutable functions; missing is an Error that says where it was looked for.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/error.h"
#include "sluice/base/machine_limits.h"
#include "sluice/base/units.h"

namespace sluice::probes {

enum class Resource { kCpu, kMemory, kIo };

struct PressureLine {
  Fraction avg10, avg60, avg300;  // share of the last 10, 60, 300 seconds
  Nanos total{0};                 // since the start
  friend bool operator==(const PressureLine&, const PressureLine&) = default;
};

struct Pressure {
  PressureLine some;                 // at least one task waited
  std::optional<PressureLine> full;  // all tasks waited at once; old kernels have none for the CPU
};

[[nodiscard]] Result<Pressure> ParsePressure(std::string_view text);
[[nodiscard]] Result<Pressure> ReadPressure(Resource resource, const std::string& root = "");
// Of the process's own control group; pid 0: this process.
[[nodiscard]] Result<Pressure> ReadGroupPressure(Resource resource, int pid, const std::string& root = "");
// Of the process's own control group where it counts them, else of the machine.
[[nodiscard]] PressureTimes ReadPressureTimes(int pid, const std::string& root = "");

}  // namespace sluice::probes

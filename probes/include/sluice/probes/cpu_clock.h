// How fast the CPUs may run: cpufreq's policies, governors and limits. Immutable functions; `root` is
// prefixed to /sys.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/units.h"

namespace sluice::probes {

// CPUs that are set together. What is not told is empty.
struct ClockPolicy {
  std::string name{};                    // "policy0"
  std::string cpus{};                    // "0-3", as the kernel writes them
  std::string driver{};                  // "intel_pstate", "acpi-cpufreq"
  std::string governor{};                // in force
  std::vector<std::string> governors{};  // that it may have
  std::string preference{};              // of energy over speed: "balance_performance"
  std::optional<Rate> least{};           // cycles a second, as the next three: that it may not go below
  std::optional<Rate> most{};            // that it may not exceed
  std::optional<Rate> hardware_most{};
  std::optional<Rate> firmware_most{};  // bios_limit
};

struct CpuClock {
  std::vector<ClockPolicy> policies{};  // by number; empty: the kernel sets no clock here, as in most guests
  std::string intel_pstate{}, amd_pstate{};  // "active", "passive", "guided", "disable"; empty: not there
  std::optional<bool> no_turbo{};            // intel_pstate's switch
  std::optional<bool> boost{};               // that of others
};

[[nodiscard]] CpuClock ReadCpuClock(const std::string& root = "");

}  // namespace sluice::probes

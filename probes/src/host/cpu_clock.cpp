#include "sluice/probes/cpu_clock.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr const char* kCpu = "/sys/devices/system/cpu";
constexpr std::string_view kPolicy = "policy";
constexpr std::int64_t kMostKilohertz = 1'000'000'000;

std::string LineOf(const std::string& path) {
  const auto text = ReadSmallFile(path);
  if (!text) return "";
  std::string_view rest = *text;
  std::string_view line = TakeLine(rest);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  return std::string(line);
}

std::vector<std::string> WordsOf(const std::string& path) {
  const std::string line = LineOf(path);
  std::string_view rest = line;
  std::vector<std::string> words;
  while (!rest.empty()) words.emplace_back(TakeWord(rest));
  return words;
}

std::optional<Rate> ClockOf(const std::string& path) {
  const auto kilohertz = ParseInteger(LineOf(path));
  if (!kilohertz || *kilohertz <= 0 || *kilohertz > kMostKilohertz) return std::nullopt;
  return Rate{static_cast<double>(*kilohertz) * 1e3};
}

std::optional<bool> SwitchOf(const std::string& path) {
  const auto number = ParseInteger(LineOf(path));
  if (!number || (*number != 0 && *number != 1)) return std::nullopt;
  return *number == 1;
}

ClockPolicy ReadPolicy(const std::string& folder, std::string name) {
  return {.name = std::move(name),
          .cpus = LineOf(folder + "/related_cpus"),
          .driver = LineOf(folder + "/scaling_driver"),
          .governor = LineOf(folder + "/scaling_governor"),
          .governors = WordsOf(folder + "/scaling_available_governors"),
          .preference = LineOf(folder + "/energy_performance_preference"),
          .least = ClockOf(folder + "/scaling_min_freq"),
          .most = ClockOf(folder + "/scaling_max_freq"),
          .hardware_most = ClockOf(folder + "/cpuinfo_max_freq"),
          .firmware_most = ClockOf(folder + "/bios_limit")};
}

}  // namespace

CpuClock ReadCpuClock(const std::string& root) {
  const std::string base = root + kCpu;
  std::vector<std::pair<std::int64_t, std::string>> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(base + "/cpufreq", error)) {
    const std::string name = entry.path().filename();
    const auto number = name.starts_with(kPolicy) ? ParseInteger(name.substr(kPolicy.size())) : std::nullopt;
    if (number) names.emplace_back(*number, name);
  }
  std::ranges::sort(names);
  CpuClock clock{.policies = {},
                 .intel_pstate = LineOf(base + "/intel_pstate/status"),
                 .amd_pstate = LineOf(base + "/amd_pstate/status"),
                 .no_turbo = SwitchOf(base + "/intel_pstate/no_turbo"),
                 .boost = SwitchOf(base + "/cpufreq/boost")};
  const std::string folder = base + "/cpufreq/";
  clock.policies.reserve(names.size());
  for (const auto& [number, name] : names) clock.policies.push_back(ReadPolicy(folder + name, name));
  return clock;
}

}  // namespace sluice::probes

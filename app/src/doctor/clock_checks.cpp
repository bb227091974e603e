#include "doctor/clock_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using probes::ClockPolicy;
using probes::CpuClock;

constexpr const char* kFolder = "/sys/devices/system/cpu/cpufreq";
constexpr const char* kGovernors = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor";
constexpr const char* kPreferences = "/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference";
constexpr const char* kLift =
    "sudo sh -c 'for p in /sys/devices/system/cpu/cpufreq/policy*; do cat $p/cpuinfo_max_freq > "
    "$p/scaling_max_freq; done'";
constexpr double kHeldBack = 0.98;  // rounding of a limit to a step of the clock

std::string Gigahertz(Rate rate) {
  return fmt::format("{:.2f} GHz", rate.per_second * 1e-9);
}

// A driver whose hardware chooses the clock: its "powersave" is the usual governor, not the least clock.
bool ChoosesItself(const ClockPolicy& policy) {
  return policy.driver == "intel_pstate" || policy.driver == "amd-pstate-epp" ||
         policy.driver == "amd_pstate_epp";
}

bool Offers(const ClockPolicy& policy, const char* governor) {
  return policy.governors.empty() || std::ranges::count(policy.governors, governor) != 0;
}

// What is wrong with a policy's governor; empty: nothing.
struct Wrong {
  std::string why, remedy, costs;
};

std::optional<Wrong> WrongPreference(const ClockPolicy& policy) {
  if (policy.preference != "power" && policy.preference != "balance_power") return std::nullopt;
  return Wrong{
      fmt::format("energy_performance_preference {} saves energy at the cost of speed", policy.preference),
      EchoInto("performance", kPreferences), std::string(kUntilBoot) + "; more power and heat"};
}

std::optional<Wrong> WrongGovernor(const ClockPolicy& policy) {
  if (policy.governor == "performance") return std::nullopt;
  if (ChoosesItself(policy)) return WrongPreference(policy);
  const char* better = Offers(policy, "performance") ? "performance" : "schedutil";
  const std::string costs = std::string(kUntilBoot) + "; more power and heat";
  if (policy.governor == "powersave")
    return Wrong{
        fmt::format("it holds the least clock{}", policy.least ? ", " + Gigahertz(*policy.least) : ""),
        EchoInto(better, kGovernors), costs};
  if (policy.governor == "userspace")
    return Wrong{"the clock stays where somebody has set it", EchoInto(better, kGovernors), costs};
  if (policy.governor == "conservative")
    return Wrong{"the clock rises step by step, and short work is over before", EchoInto(better, kGovernors),
                 costs};
  return std::nullopt;
}

std::string GovernorText(const ClockPolicy& policy) {
  std::string text = policy.governor.empty() ? "governor not told" : policy.governor;
  if (!policy.driver.empty()) text += " of " + policy.driver;
  if (!policy.preference.empty()) text += ", preference " + policy.preference;
  return text;
}

DoctorCheck GovernorOf(const ClockPolicy& policy, std::uint64_t alike) {
  DoctorCheck check{
      .state = State::kGood,
      .subject = "governor",
      .found = fmt::format("{}: {}", alike == 1 ? "1 policy" : fmt::format("{} policies", alike),
                           GovernorText(policy)),
      .remedy = "",
      .kind = "cpu_governor",
      .evidence = {{fmt::format("{}/{}/scaling_governor", kFolder, policy.name),
                    policy.governor.empty() ? "missing" : policy.governor},
                   {fmt::format("{}/{}/scaling_driver", kFolder, policy.name),
                    policy.driver.empty() ? "missing" : policy.driver}}};
  if (!policy.preference.empty())
    check.evidence.push_back(
        {fmt::format("{}/{}/energy_performance_preference", kFolder, policy.name), policy.preference});
  const auto wrong = WrongGovernor(policy);
  if (wrong) {
    check.state = State::kNote;
    check.found += ": " + wrong->why;
    check.remedy = wrong->remedy;
    check.costs = wrong->costs;
  } else if (policy.governor.empty()) {
    check.state = State::kNote;
  } else if (ChoosesItself(policy) && policy.governor == "powersave") {
    check.found += ": normal there, the clock follows the load";
  }
  return check;
}

std::vector<DoctorCheck> CheckGovernors(const CpuClock& clock) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const ClockPolicy*>> alike;
  for (const ClockPolicy& policy : clock.policies)
    alike[{policy.driver, policy.governor, policy.preference}].push_back(&policy);
  std::vector<DoctorCheck> checks;
  checks.reserve(alike.size());
  for (const auto& [key, policies] : alike) checks.push_back(GovernorOf(*policies.front(), policies.size()));
  return checks;
}

// What a policy says of its greatest clock, all told.
struct Limit {
  std::string policy;
  Rate most, hardware;
  std::optional<Rate> firmware;

  [[nodiscard]] bool held() const { return most.per_second < kHeldBack * hardware.per_second; }
};

std::vector<Limit> LimitsOf(const CpuClock& clock) {
  std::vector<Limit> limits;
  for (const ClockPolicy& policy : clock.policies) {
    if (policy.most && policy.hardware_most)
      limits.push_back({policy.name, *policy.most, *policy.hardware_most, policy.firmware_most});
  }
  return limits;
}

std::string Kilohertz(Rate rate) {
  return fmt::format("{:.0f}", rate.per_second / 1e3);
}

DoctorCheck CheckLimit(const CpuClock& clock) {
  const std::vector<Limit> limits = LimitsOf(clock);
  if (limits.empty())
    return NotTold("clock limit", "cpu_limit", fmt::format("{}/policy*/scaling_max_freq", kFolder),
                   "the policies name no greatest clock");
  const auto held = std::ranges::find_if(limits, &Limit::held);
  const Limit& shown = held == limits.end() ? limits.front() : *held;
  DoctorCheck check{
      .state = State::kGood,
      .subject = "clock limit",
      .found = fmt::format("{}, all that the hardware has", Gigahertz(shown.hardware)),
      .remedy = "",
      .kind = "cpu_limit",
      .evidence = {
          {fmt::format("{}/{}/scaling_max_freq", kFolder, shown.policy), Kilohertz(shown.most)},
          {fmt::format("{}/{}/cpuinfo_max_freq", kFolder, shown.policy), Kilohertz(shown.hardware)}}};
  if (held == limits.end()) return check;
  check.state = State::kNote;
  check.found =
      fmt::format("{} of {} policies: at most {} of {}", std::ranges::count_if(limits, &Limit::held),
                  limits.size(), Gigahertz(shown.most), Gigahertz(shown.hardware));
  if (const auto& firmware = shown.firmware; firmware && *firmware <= shown.most) {
    check.found += "; the firmware holds it there (power cap, cooling or setup), and no command lifts that";
    check.evidence.push_back({fmt::format("{}/{}/bios_limit", kFolder, shown.policy), Kilohertz(*firmware)});
    return check;
  }
  check.remedy = kLift;
  check.costs = std::string(kUntilBoot) + "; more power and heat";
  return check;
}

DoctorCheck SwitchCheck(bool on, const char* file, const char* value, const char* good) {
  DoctorCheck check{.state = on ? State::kGood : State::kNote,
                    .subject = "turbo",
                    .found = on ? "on" : "off: single busy cores could run faster",
                    .remedy = "",
                    .kind = "cpu_turbo",
                    .evidence = {{file, value}}};
  if (on) return check;
  check.remedy = EchoInto(good, file);
  check.costs = std::string(kUntilBoot) + "; more power and heat, and a clock that varies with the load";
  return check;
}

DoctorCheck CheckTurbo(const CpuClock& clock) {
  if (clock.no_turbo)
    return SwitchCheck(!*clock.no_turbo, "/sys/devices/system/cpu/intel_pstate/no_turbo",
                       *clock.no_turbo ? "1" : "0", "0");
  const char* file = "/sys/devices/system/cpu/cpufreq/boost";
  if (clock.boost) return SwitchCheck(*clock.boost, file, *clock.boost ? "1" : "0", "1");
  return NotTold("turbo", "cpu_turbo", file, "this driver has no switch for it");
}

}  // namespace

std::vector<DoctorCheck> ClockChecks(const CpuClock& clock) {
  if (clock.policies.empty())
    return {NotTold("governor", "cpu_governor", fmt::format("{}/policy*", kFolder),
                    "the kernel sets no clock here; in a guest the host does, else the firmware")};
  std::vector<DoctorCheck> checks = CheckGovernors(clock);
  checks.push_back(CheckLimit(clock));
  checks.push_back(CheckTurbo(clock));
  return checks;
}

}  // namespace sluice::app

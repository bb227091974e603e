#include "doctor/clock_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kPerformance =
    "echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor";

probes::ClockPolicy Policy(const std::string& driver, const std::string& governor,
                           const std::string& preference = "") {
  return {.name = "policy0",
          .driver = driver,
          .governor = governor,
          .governors = {"performance", "powersave"},
          .preference = preference,
          .least = Rate{0.8e9},
          .most = Rate{3.9e9},
          .hardware_most = Rate{3.9e9}};
}

DoctorCheck Check(const probes::CpuClock& clock, const std::string& kind) {
  for (const DoctorCheck& check : ClockChecks(clock)) {
    if (check.kind == kind) return check;
  }
  return {State::kBad, kind, "(not told)", ""};
}

DoctorCheck Governor(const probes::ClockPolicy& policy) {
  return Check({.policies = {policy}}, "cpu_governor");
}

TEST(ClockChecks, PowersaveOfAcpiHoldsTheLeastClock) {
  const DoctorCheck check = Governor(Policy("acpi-cpufreq", "powersave"));
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("it holds the least clock, 0.80 GHz"));
  EXPECT_EQ(check.remedy, kPerformance);
  EXPECT_THAT(check.costs, HasSubstr("root"));
  EXPECT_EQ(check.evidence.at(0).from, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor");
}

TEST(ClockChecks, PowersaveOfHardwareThatChoosesItsClockIsNormal) {
  for (const char* driver : {"intel_pstate", "amd-pstate-epp"}) {
    EXPECT_EQ(Governor(Policy(driver, "powersave", "balance_performance")).state, State::kGood) << driver;
    EXPECT_EQ(Governor(Policy(driver, "powersave", "")).state, State::kGood) << driver;
    EXPECT_THAT(Governor(Policy(driver, "powersave", "")).found, HasSubstr("normal there"));
  }
}

TEST(ClockChecks, ItsPreferenceMayStillBeForEnergy) {
  const DoctorCheck check = Governor(Policy("intel_pstate", "powersave", "power"));
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_EQ(
      check.remedy,
      "echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference");
  EXPECT_EQ(Governor(Policy("intel_pstate", "performance", "power")).state, State::kGood)
      << "this governor overrides it";
}

TEST(ClockChecks, GovernorsThatFollowTheLoadAreFine) {
  for (const char* governor : {"performance", "schedutil", "ondemand"})
    EXPECT_EQ(Governor(Policy("acpi-cpufreq", governor)).state, State::kGood) << governor;
  for (const char* governor : {"userspace", "conservative"})
    EXPECT_EQ(Governor(Policy("intel_cpufreq", governor)).state, State::kNote) << governor;
  EXPECT_EQ(Governor(Policy("acpi-cpufreq", "")).state, State::kNote) << "not told is not fine";
}

TEST(ClockChecks, OnlyGovernorsThatThereAreAreAdvised) {
  auto policy = Policy("cppc_cpufreq", "powersave");
  policy.governors = {"powersave", "schedutil"};
  EXPECT_THAT(Governor(policy).remedy, HasSubstr("echo schedutil |"));
}

TEST(ClockChecks, PoliciesThatDifferAreToldApart) {
  const auto checks =
      ClockChecks({.policies = {Policy("acpi-cpufreq", "performance"), Policy("acpi-cpufreq", "powersave"),
                                Policy("acpi-cpufreq", "powersave")}});
  EXPECT_THAT(checks.at(0).found, HasSubstr("1 policy: performance"));
  EXPECT_THAT(checks.at(1).found, HasSubstr("2 policies: powersave"));
}

TEST(ClockChecks, ALimitBelowTheHardwaresIsLifted) {
  auto policy = Policy("intel_pstate", "performance");
  EXPECT_EQ(Check({.policies = {policy}}, "cpu_limit").state, State::kGood);
  policy.most = Rate{2.6e9};
  const DoctorCheck check = Check({.policies = {policy}}, "cpu_limit");
  EXPECT_EQ(check.found, "1 of 1 policies: at most 2.60 GHz of 3.90 GHz");
  EXPECT_THAT(check.remedy, HasSubstr("cat $p/cpuinfo_max_freq > $p/scaling_max_freq"));
  EXPECT_EQ(check.evidence.at(0).read, "2600000");
}

TEST(ClockChecks, TheFirmwaresLimitIsNoCommandsBusiness) {
  auto policy = Policy("acpi-cpufreq", "performance");
  policy.most = policy.firmware_most = Rate{2.6e9};
  const DoctorCheck check = Check({.policies = {policy}}, "cpu_limit");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("the firmware holds it there"));
  EXPECT_THAT(check.remedy, IsEmpty());
}

TEST(ClockChecks, TurboIsSwitchedOnWhereItsDriverHasTheSwitch) {
  const auto policy = Policy("intel_pstate", "performance");
  EXPECT_EQ(Check({.policies = {policy}, .no_turbo = true}, "cpu_turbo").remedy,
            "echo 0 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo");
  EXPECT_EQ(Check({.policies = {policy}, .boost = false}, "cpu_turbo").remedy,
            "echo 1 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
  EXPECT_EQ(Check({.policies = {policy}, .boost = true}, "cpu_turbo").state, State::kGood);
  EXPECT_EQ(Check({.policies = {policy}}, "cpu_turbo").state, State::kNote);
}

TEST(ClockChecks, AGuestWithoutPoliciesIsToldSo) {
  const auto checks = ClockChecks({});
  ASSERT_EQ(checks.size(), 1);
  EXPECT_EQ(checks[0].state, State::kNote);
  EXPECT_THAT(checks[0].found, HasSubstr("not told"));
}

}  // namespace
}  // namespace sluice::app

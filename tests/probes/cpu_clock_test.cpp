#include "sluice/probes/cpu_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CpuClockTest : public testing::Test {
 protected:
  void Put(const std::string& file, const std::string& text) {
    tree_.Write("/sys/devices/system/cpu/" + file, text + "\n");
  }
  CannedTree tree_;
};

TEST_F(CpuClockTest, ReadsEachPolicyInTheOrderOfNumbers) {
  for (const std::string number : {"10", "2"}) {
    Put("cpufreq/policy" + number + "/related_cpus", number);
    Put("cpufreq/policy" + number + "/scaling_driver", "intel_pstate");
    Put("cpufreq/policy" + number + "/scaling_governor", "powersave");
    Put("cpufreq/policy" + number + "/scaling_available_governors", "performance powersave ");
    Put("cpufreq/policy" + number + "/energy_performance_preference", "balance_performance");
    Put("cpufreq/policy" + number + "/scaling_min_freq", "800000");
    Put("cpufreq/policy" + number + "/scaling_max_freq", "2600000");
    Put("cpufreq/policy" + number + "/cpuinfo_max_freq", "3900000");
  }
  Put("intel_pstate/status", "active");
  Put("intel_pstate/no_turbo", "1");
  const CpuClock clock = ReadCpuClock(tree_.root());
  ASSERT_EQ(clock.policies.size(), 2);
  EXPECT_EQ(clock.policies[0].name, "policy2");
  EXPECT_THAT(clock.policies[0].governors, ElementsAre("performance", "powersave"));
  EXPECT_EQ(clock.policies[0].most, Rate{2.6e9});
  EXPECT_EQ(clock.policies[0].hardware_most, Rate{3.9e9});
  EXPECT_EQ(clock.policies[0].firmware_most, std::nullopt);
  EXPECT_EQ(clock.intel_pstate, "active");
  EXPECT_EQ(clock.no_turbo, true);
  EXPECT_EQ(clock.boost, std::nullopt);
}

TEST_F(CpuClockTest, AGuestHasNoPolicies) {
  Put("online", "0-1");
  std::filesystem::create_directories(tree_.root() + "/sys/devices/system/cpu/cpufreq");
  EXPECT_THAT(ReadCpuClock(tree_.root()).policies, IsEmpty());
}

TEST_F(CpuClockTest, NonsenseIsMissing) {
  Put("cpufreq/policy0/scaling_max_freq", "<unknown>");
  Put("cpufreq/policy0/cpuinfo_max_freq", "-5");
  Put("cpufreq/policyX/scaling_max_freq", "1");
  Put("cpufreq/boost", "7");
  const CpuClock clock = ReadCpuClock(tree_.root());
  ASSERT_EQ(clock.policies.size(), 1);
  EXPECT_EQ(clock.policies[0].most, std::nullopt);
  EXPECT_EQ(clock.policies[0].hardware_most, std::nullopt);
  EXPECT_EQ(clock.boost, std::nullopt);
}

}  // namespace
}  // namespace sluice::probes

#include "sluice/wrap/gpu_probe.h"

#include <gtest/gtest.h>

namespace sluice::wrap {
namespace {

TEST(GpuProbe, IsNothingWhereThereIsNoLibrary) {
  EXPECT_EQ(GpuProbe::Open("libno-such-nvml.so.1"), nullptr);
}

TEST(GpuProbe, IsNothingWhereTheLibraryIsAnother) {
  EXPECT_EQ(GpuProbe::Open("libc.so.6"), nullptr);
}

TEST(GpuProbe, TellsMeanAndPeakOfThoseThatAnswer) {
  const auto probe = GpuProbe::Open(FAKE_NVML);
  ASSERT_NE(probe, nullptr);
  EXPECT_TRUE(probe->Use().empty()) << "nothing was measured yet, and that is not 0 %";
  for (int i = 0; i < 3; ++i) probe->Sample();
  const auto use = probe->Use();
  ASSERT_EQ(use.size(), 1u);
  EXPECT_EQ(use[0].name, "Fake GPU");
  EXPECT_NEAR(use[0].mean_busy.value, 0.3, 1e-9);
  EXPECT_NEAR(use[0].peak_busy.value, 0.5, 1e-9);
  EXPECT_EQ(use[0].peak_memory, 2_GiB);
  EXPECT_EQ(use[0].memory, 8_GiB);
}

TEST(GpuProbe, LeavesTheLibraryAsItFoundIt) {
  for (int i = 0; i < 2; ++i) {
    const auto probe = GpuProbe::Open(FAKE_NVML);
    ASSERT_NE(probe, nullptr);
    probe->Sample();
    ASSERT_EQ(probe->Use().size(), 1u);
    EXPECT_NEAR(probe->Use()[0].peak_busy.value, 0.1, 1e-9) << "it was shut down in between";
  }
}

}  // namespace
}  // namespace sluice::wrap

#include "sluice/probes/memory_meter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "probes/temp_folder.h"

namespace sluice::probes {
namespace {

class Machine {
 public:
  void Put(int process, int pss, int own) const {
    const auto folder = std::filesystem::path(temp_.path()) / "proc" / std::to_string(process);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "smaps_rollup")
        << "0-1 ---p 0 00:00 0 [rollup]\nRss: 9999 kB\nPss: " << pss
        << " kB\nPss_Dirty: 1 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: " << own << " kB\n";
  }
  void Remove(int process) const {
    std::filesystem::remove_all(std::filesystem::path(temp_.path()) / "proc" / std::to_string(process));
  }
  [[nodiscard]] std::string root() const { return temp_.path(); }

 private:
  TempFolder temp_;
};

constexpr MonoTime kStart = std::chrono::seconds(100);

TEST(MemoryMeter, AddsUpWhatProcessesTakeAndKnowsTheGreatestWorker) {
  const Machine machine;
  machine.Put(1, 1000, 700);
  machine.Put(2, 300, 100);
  machine.Put(3, 400, 250);
  MemoryMeter meter(machine.root());
  EXPECT_TRUE(meter.Update(kStart, {1, 2, 3}));
  EXPECT_EQ(meter.proportional(), Bytes{1700 * 1024});
  EXPECT_EQ(meter.GreatestOwn({2, 3}), Bytes{250 * 1024});
  EXPECT_FALSE(meter.GreatestOwn({9}));
}

TEST(MemoryMeter, LooksAgainOnlyAfterAWhileOrWhereThereAreMoreProcesses) {
  const Machine machine;
  machine.Put(1, 1000, 700);
  machine.Put(2, 300, 100);
  MemoryMeter meter(machine.root());
  EXPECT_TRUE(meter.Update(kStart, {1}));
  EXPECT_FALSE(meter.Update(kStart + std::chrono::milliseconds(100), {1}));
  EXPECT_TRUE(meter.Update(kStart + std::chrono::milliseconds(200), {1, 2}));
  EXPECT_FALSE(meter.Update(kStart + std::chrono::milliseconds(300), {1}));
  machine.Put(3, 300, 100);
  EXPECT_FALSE(meter.Update(kStart + std::chrono::milliseconds(400), {1, 3})) << "in the place of 2";
  EXPECT_TRUE(meter.Update(kStart + std::chrono::minutes(1), {1, 2}));
}

TEST(MemoryMeter, ReadsOnlyTheNewOnesWhereThereAreMoreAndAllAgainSoonAfter) {
  const Machine machine;
  machine.Put(1, 1000, 700);
  MemoryMeter meter(machine.root());
  ASSERT_TRUE(meter.Update(kStart, {1}));
  machine.Put(1, 2000, 700);
  machine.Put(2, 300, 100);
  ASSERT_TRUE(meter.Update(kStart + std::chrono::milliseconds(200), {1, 2}));
  EXPECT_EQ(meter.proportional(), Bytes{1300 * 1024});
  machine.Put(3, 300, 100);
  ASSERT_TRUE(meter.Update(kStart + std::chrono::milliseconds(900), {1, 2, 3}));
  EXPECT_EQ(meter.proportional(), Bytes{1600 * 1024});
  ASSERT_TRUE(meter.Update(kStart + std::chrono::milliseconds(1000), {1, 2, 3}))
      << "further ones do not put it off";
  EXPECT_EQ(meter.proportional(), Bytes{2600 * 1024});
}

TEST(MemoryMeter, AProcessThatHasEndedCountsNoMore) {
  const Machine machine;
  machine.Put(1, 1000, 700);
  machine.Put(2, 300, 100);
  MemoryMeter meter(machine.root());
  EXPECT_TRUE(meter.Update(kStart, {1, 2}));
  machine.Remove(2);
  EXPECT_TRUE(meter.Update(kStart + std::chrono::minutes(1), {1}));
  EXPECT_EQ(meter.proportional(), Bytes{1000 * 1024});
}

}  // namespace
}  // namespace sluice::probes

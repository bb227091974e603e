#include "doctor/storage_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sluice/base/error.h"

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kBdi = "/sys/class/bdi/8:0/read_ahead_kb";

class StorageChecksTest : public testing::Test {
 protected:
  static probes::BlockDevice Disk(bool rotational, const std::string& scheduler = "mq-deadline") {
    return {.name = "sda",
            .rotational = rotational,
            .scheduler = scheduler,
            .schedulers = {"none", "mq-deadline", "bfq"}};
  }
  static probes::Storage On(const std::string& type, std::vector<probes::BlockDevice> disks = {}) {
    probes::Storage storage{.path = "/data"};
    storage.mount = {.device = "8:0", .root = "/", .point = "/data", .type = type, .source = "filer:/d"};
    storage.disks = std::move(disks);
    storage.read_ahead = 128_KiB;
    storage.read_ahead_file = kBdi;
    return storage;
  }
  void Files(std::uint64_t count, Bytes each, bool whole = true) {
    sample_ = {.files = count, .bytes = each * static_cast<std::int64_t>(count), .whole = whole};
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 256); ++i)
      sample_.chosen.push_back({"/data/" + std::to_string(i), each});
    cached_ = {.files = sample_.chosen.size(), .looked = each, .cached = each};
  }
  DoctorCheck Check(const Result<probes::Storage>& storage, const std::string& kind) {
    for (const DoctorCheck& check : StorageChecks({"/data", storage, sample_, cached_}, memory_)) {
      if (check.kind == kind) return check;
    }
    return {State::kBad, kind, "(not told)", ""};
  }

  probes::DataSample sample_;
  probes::CachedShare cached_;
  FreeMemory memory_{64_GiB, "/proc/meminfo: MemAvailable"};
};

TEST_F(StorageChecksTest, ADiskThatRotatesIsReadIntoMemoryOnceWhereTheDataFits) {
  Files(1000, 1_MiB);
  EXPECT_THAT(Check(On("ext4", {Disk(true)}), "storage_device").found,
              HasSubstr("100% of what was looked at is cached"));
  EXPECT_THAT(Check(On("ext4", {Disk(true)}), "storage_device").remedy, IsEmpty()) << "it is there already";
  cached_.cached = Bytes{0};
  const DoctorCheck check = Check(On("ext4", {Disk(true)}), "storage_device");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("it rotates"));
  EXPECT_EQ(check.remedy, "find -H /data -type f -exec cat {} + > /dev/null");
  EXPECT_THAT(check.costs, HasSubstr("reads 1000 MiB once"));
  EXPECT_EQ(check.evidence.at(1).from, "/sys/block/sda/queue/rotational");
  EXPECT_EQ(check.evidence.at(1).read, "1");
}

TEST_F(StorageChecksTest, WhereItDoesNotFitItIsCopied) {
  Files(1000, 1_GiB);
  EXPECT_EQ(Check(On("ext4", {Disk(true)}), "storage_device").remedy, "cp -a /data FAST_DISK/");
  Files(1000, 1_MiB, false);
  EXPECT_THAT(Check(On("nfs4"), "storage_device").costs, HasSubstr("at least 1000 MiB"))
      << "how much there is in all is not known";
}

TEST_F(StorageChecksTest, ADiskThatDoesNotRotateIsFine) {
  Files(1000, 1_MiB);
  const auto storage = On("xfs", {Disk(false)});
  EXPECT_EQ(Check(storage, "storage_device").state, State::kGood);
  cached_.cached = Bytes{0};
  EXPECT_EQ(Check(storage, "page_cache").state, State::kGood) << "reading it again costs little";
}

TEST_F(StorageChecksTest, WhatAHypervisorSaysOfItsDiskIsNotBelieved) {
  Files(1000, 1_MiB);
  auto disk = Disk(true);
  disk.of_hypervisor = true;
  const DoctorCheck check = Check(On("ext4", {disk}), "storage_device");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("not told"));
  EXPECT_THAT(check.found, Not(HasSubstr("it rotates")));
  EXPECT_THAT(check.remedy, IsEmpty());
}

TEST_F(StorageChecksTest, WhatIsNotToldIsNotFine) {
  Files(1000, 1_MiB);
  auto disk = Disk(false);
  disk.rotational.reset();
  disk.scheduler.clear();
  auto storage = On("ext4", {disk});
  storage.read_ahead.reset();
  for (const char* kind : {"storage_device", "io_scheduler", "read_ahead"})
    EXPECT_EQ(Check(storage, kind).state, State::kNote) << kind;
  EXPECT_THAT(Check(storage, "storage_device").found, HasSubstr("whether it rotates is not told"));
  memory_ = {std::nullopt, "/proc/meminfo: MemAvailable"};
  EXPECT_THAT(Check(storage, "data_fit").found, HasSubstr("not told"));
  EXPECT_EQ(Check(Fail("no mounts"), "storage_device").state, State::kNote);
}

TEST_F(StorageChecksTest, NetworksHostsAndProgramsAreNamed) {
  Files(10, 1_MiB);
  EXPECT_THAT(Check(On("nfs4"), "storage_device").found, HasSubstr("nfs4 of filer:/d: another machine"));
  EXPECT_THAT(Check(On("virtiofs"), "storage_device").found, HasSubstr("the host of this virtual machine"));
  EXPECT_THAT(Check(On("fuse.gcsfuse"), "storage_device").found, HasSubstr("a program answers"));
  EXPECT_EQ(Check(On("tmpfs"), "storage_device").state, State::kGood);
  EXPECT_THAT(Check(On("tmpfs"), "page_cache").found, HasSubstr("(not told)")) << "all of it is memory";
}

TEST_F(StorageChecksTest, ReadAheadIsTooSmallWhereLargeFilesLieOnSlowStorage) {
  Files(100, 100_MiB);
  const DoctorCheck check = Check(On("nfs4"), "read_ahead");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_EQ(check.remedy, "echo 4096 | sudo tee /sys/class/bdi/8:0/read_ahead_kb");
  EXPECT_EQ(check.evidence.at(0).read, "128");
  Files(100'000, 100_KiB);
  EXPECT_EQ(Check(On("nfs4"), "read_ahead").state, State::kGood)
      << "no read-ahead goes beyond the end of a file";
}

TEST_F(StorageChecksTest, ReadAheadIsTooLargeWhereRecordsOfLargeFilesAreReadAtRandom) {
  Files(4, 1_GiB);
  auto storage = On("ext4", {Disk(false)});
  EXPECT_EQ(Check(storage, "read_ahead").state, State::kGood);
  storage.read_ahead = 8_MiB;
  const DoctorCheck check = Check(storage, "read_ahead");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(check.found, HasSubstr("right for reads in order"));
  EXPECT_EQ(check.remedy, "echo 128 | sudo tee /sys/class/bdi/8:0/read_ahead_kb");
}

TEST_F(StorageChecksTest, ASchedulerThatDoesNotSuitTheDiskIsChanged) {
  Files(10, 1_MiB);
  EXPECT_EQ(Check(On("ext4", {Disk(true, "none")}), "io_scheduler").remedy,
            "echo mq-deadline | sudo tee /sys/block/sda/queue/scheduler");
  EXPECT_EQ(Check(On("ext4", {Disk(false, "bfq")}), "io_scheduler").remedy,
            "echo none | sudo tee /sys/block/sda/queue/scheduler");
  EXPECT_EQ(Check(On("ext4", {Disk(true)}), "io_scheduler").state, State::kGood);
  EXPECT_EQ(Check(On("ext4", {Disk(false, "none")}), "io_scheduler").state, State::kGood);
}

TEST_F(StorageChecksTest, WhetherTheDataFitsIsSaidOnlyWhereItIsKnown) {
  Files(10, 1_GiB);
  EXPECT_EQ(Check(On("nfs"), "data_fit").state, State::kGood);
  Files(10, 1_GiB, false);
  EXPECT_THAT(Check(On("nfs"), "data_fit").found, HasSubstr("is not known"));
  Files(100, 1_GiB, false);
  EXPECT_THAT(Check(On("nfs"), "data_fit").found,
              HasSubstr("at least 100 GiB in 100 files, and 64.0 GiB are free"));
  EXPECT_THAT(Check(On("nfs"), "data_fit").remedy, IsEmpty()) << "no command gives this machine more memory";
  memory_ = {8_GiB, "cgroup /pod: memory.max 8589934592"};
  EXPECT_THAT(Check(On("nfs"), "data_fit").remedy, HasSubstr("docker update --memory"));
}

TEST_F(StorageChecksTest, TheCachedShareSaysHowMuchWasLookedAt) {
  Files(5000, 1_MiB);
  cached_ = {.files = 200, .hidden = 56, .looked = 200_MiB, .cached = 50_MiB, .whole = false};
  const DoctorCheck check = Check(On("nfs"), "page_cache");
  EXPECT_EQ(check.state, State::kNote);
  EXPECT_THAT(
      check.found,
      HasSubstr("25% of the 200 MiB looked at are cached (200 files of 5000 looked at, then time was up)"));
  EXPECT_THAT(check.remedy, HasSubstr("find -H /data"));
  EXPECT_THAT(check.evidence.at(1).read, HasSubstr("56 files of which nothing is told"));
  cached_ = {.hidden = 256};
  EXPECT_THAT(Check(On("nfs"), "page_cache").found, HasSubstr("not told: 256 of 256 belong to others"));
}

TEST_F(StorageChecksTest, AFolderWithoutFilesAsksForTheDataSet) {
  Files(0, 0_KiB);
  EXPECT_THAT(Check(On("ext4", {Disk(false)}), "data_fit").found, HasSubstr("--data DIR"));
}

TEST(Quoted, IsWhatAShellTakesAsOneWord) {
  EXPECT_EQ(Quoted("/data/train"), "/data/train");
  EXPECT_EQ(Quoted("/my data"), "'/my data'");
  EXPECT_EQ(Quoted("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(Quoted(""), "''");
  EXPECT_EQ(Quoted("-rf"), "./-rf");
}

}  // namespace
}  // namespace sluice::app

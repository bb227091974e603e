#include "sluice/probes/block_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// As kernels lay it out: devices in folders of their own, links to them by number and by name.
class StorageTest : public testing::Test {
 protected:
  void Mounts(const std::string& text) { tree_.Write("/proc/self/mountinfo", text); }

  void Disk(const std::string& place, const std::string& number, const std::string& rotational,
            const std::string& scheduler = "[none] mq-deadline kyber bfq\n") {
    Device(place, number);
    tree_.Write(place + "/queue/rotational", rotational + "\n");
    tree_.Write(place + "/queue/scheduler", scheduler);
    ReadAhead(number, "128");
  }
  void Device(const std::string& place, const std::string& number) {
    tree_.Write(place + "/dev", number + "\n");
    Link(place, "/sys/dev/block/" + number);
    Link(place, "/sys/class/block/" + std::filesystem::path(place).filename().string());
  }
  void Partition(const std::string& place, const std::string& number) {
    Device(place, number);
    tree_.Write(place + "/partition", "1\n");
  }
  void Slave(const std::string& place, const std::string& below) {
    Link(below, place + "/slaves/" + std::filesystem::path(below).filename().string());
  }
  void ReadAhead(const std::string& number, const std::string& kilobytes) {
    tree_.Write("/sys/class/bdi/" + number + "/read_ahead_kb", kilobytes + "\n");
  }
  void Link(const std::string& to, const std::string& at) {
    const std::filesystem::path file = tree_.root() + at;
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::create_symlink(tree_.root() + to, file);
  }
  Storage Read(const std::string& path) {
    auto storage = ReadStorage(path, tree_.root());
    EXPECT_TRUE(storage);
    return storage.value_or(Storage{});
  }

  static constexpr const char* kSda =
      "/sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda";
  static constexpr const char* kNvme = "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0/nvme0n1";
  CannedTree tree_;
};

TEST_F(StorageTest, APartitionLeadsToItsDisk) {
  Mounts("28 1 8:2 / / rw - ext4 /dev/sda2 rw\n");
  Disk(kSda, "8:0", "1", "none [mq-deadline] kyber bfq\n");
  tree_.Write(std::string(kSda) + "/device/model", "ST4000NM0035-1V4 \n");
  Partition(std::string(kSda) + "/sda2", "8:2");
  const Storage storage = Read("/data");
  EXPECT_THAT(storage.chain, ElementsAre("sda2", "sda"));
  ASSERT_EQ(storage.disks.size(), 1);
  EXPECT_EQ(storage.disks[0].rotational, true);
  EXPECT_EQ(storage.disks[0].scheduler, "mq-deadline");
  EXPECT_THAT(storage.disks[0].schedulers, ElementsAre("none", "mq-deadline", "kyber", "bfq"));
  EXPECT_EQ(storage.disks[0].model, "ST4000NM0035-1V4");
  EXPECT_FALSE(storage.disks[0].of_hypervisor);
  EXPECT_EQ(storage.read_ahead, 128_KiB);
  EXPECT_EQ(storage.read_ahead_file, "/sys/class/bdi/8:0/read_ahead_kb")
      << "of the disk: a partition has none";
}

TEST_F(StorageTest, ALogicalVolumeOnARaidLeadsToAllItsDisks) {
  Mounts("28 1 253:1 / /data rw - xfs /dev/mapper/vg0-data rw\n");
  Disk(kSda, "8:0", "1");
  Partition(std::string(kSda) + "/sda1", "8:1");
  Disk(kNvme, "259:0", "0");
  Disk("/sys/devices/virtual/block/md0", "9:0", "0");
  Slave("/sys/devices/virtual/block/md0", std::string(kSda) + "/sda1");
  Slave("/sys/devices/virtual/block/md0", kNvme);
  Disk("/sys/devices/virtual/block/dm-1", "253:1", "0");
  Slave("/sys/devices/virtual/block/dm-1", "/sys/devices/virtual/block/md0");
  ReadAhead("253:1", "4096");
  const Storage storage = Read("/data/train");
  EXPECT_THAT(storage.chain, ElementsAre("dm-1", "md0", "nvme0n1", "sda1", "sda"));
  ASSERT_EQ(storage.disks.size(), 2);
  EXPECT_EQ(storage.disks[0].rotational, false);
  EXPECT_EQ(storage.disks[1].rotational, true);
  EXPECT_EQ(storage.read_ahead, 4_MiB) << "of the volume that the file system is on";
}

TEST_F(StorageTest, ALoopDeviceLeadsToTheDiskOfItsFile) {
  Mounts("28 1 259:0 / / rw - ext4 /dev/nvme0n1 rw\n40 28 7:3 / /mnt ro - squashfs /dev/loop3 ro\n");
  Disk(kNvme, "259:0", "0");
  Disk("/sys/devices/virtual/block/loop3", "7:3", "1");
  tree_.Write("/sys/devices/virtual/block/loop3/loop/backing_file", "/images/set.squashfs\n");
  const Storage storage = Read("/mnt/a");
  EXPECT_THAT(storage.chain, ElementsAre("loop3", "nvme0n1"));
  ASSERT_EQ(storage.disks.size(), 1);
  EXPECT_EQ(storage.disks[0].name, "nvme0n1");
  EXPECT_EQ(storage.mount.type, "squashfs");
}

TEST_F(StorageTest, AnOverlayLeadsToTheLowestFolderThatIsSeen) {
  Mounts(
      "1 0 0:33 / / rw - overlay overlay rw,lowerdir=/l/2:/l/1,upperdir=/u,workdir=/w\n"
      "2 1 259:0 / /l rw - ext4 /dev/nvme0n1 rw\n");
  Disk(kNvme, "259:0", "0");
  EXPECT_THAT(Read("/data").problem, HasSubstr("not seen from here"));
  EXPECT_THAT(Read("/data").disks, IsEmpty());
  tree_.Write("/l/1/file", "");
  const Storage storage = Read("/data");
  EXPECT_TRUE(storage.overlay);
  EXPECT_EQ(storage.mount.type, "ext4");
  EXPECT_EQ(storage.disks.size(), 1);
}

TEST_F(StorageTest, AFileSystemWithoutADeviceNumberIsFoundByItsSource) {
  Mounts("1 0 0:30 / /b rw - btrfs /dev/mapper/crypt rw\n2 0 0:31 / /z rw - zfs tank/data rw\n");
  Disk(kNvme, "259:0", "0");
  Disk("/sys/devices/virtual/block/dm-0", "253:0", "0");
  tree_.Write("/sys/devices/virtual/block/dm-0/dm/name", "crypt\n");
  Slave("/sys/devices/virtual/block/dm-0", kNvme);
  EXPECT_THAT(Read("/b/x").chain, ElementsAre("dm-0", "nvme0n1"));
  EXPECT_THAT(Read("/z/x").problem, HasSubstr("zfs does not say which disks it has (tank/data)"));
}

TEST_F(StorageTest, ANetworkHasNoDiskButAReadAhead) {
  Mounts("1 0 0:49 / /n rw - nfs4 filer:/d rw\n");
  ReadAhead("0:49", "128");
  const Storage storage = Read("/n/x");
  EXPECT_THAT(storage.disks, IsEmpty());
  EXPECT_THAT(storage.problem, IsEmpty());
  EXPECT_EQ(storage.read_ahead_file, "/sys/class/bdi/0:49/read_ahead_kb");
}

TEST_F(StorageTest, AVirtualDiskIsTheHypervisors) {
  Mounts("1 0 254:0 / / rw - ext4 /dev/vda rw\n");
  Disk("/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda", "254:0", "1");
  EXPECT_TRUE(Read("/x").disks.at(0).of_hypervisor);
}

TEST_F(StorageTest, WhatIsNotToldStaysMissing) {
  Mounts("1 0 8:0 / / rw - ext4 /dev/sda rw\n");
  EXPECT_THAT(Read("/x").problem, HasSubstr("/sys/dev/block/8:0: cannot be read"));
  Device(kSda, "8:0");
  tree_.Write(std::string(kSda) + "/queue/rotational", "perhaps\n");
  tree_.Write("/sys/class/bdi/8:0/read_ahead_kb", "-1\n");
  const Storage storage = Read("/x");
  ASSERT_EQ(storage.disks.size(), 1);
  EXPECT_EQ(storage.disks[0].rotational, std::nullopt);
  EXPECT_THAT(storage.disks[0].scheduler, IsEmpty());
  EXPECT_EQ(storage.read_ahead, std::nullopt);
}

TEST_F(StorageTest, DevicesThatLieBelowThemselvesEnd) {
  Mounts("1 0 253:0 / / rw - ext4 /dev/dm-0 rw\n");
  Disk("/sys/devices/virtual/block/dm-0", "253:0", "0");
  Slave("/sys/devices/virtual/block/dm-0", "/sys/devices/virtual/block/dm-0");
  EXPECT_THAT(Read("/x").disks, IsEmpty());
}

TEST(ChosenWord, StandsInBrackets) {
  EXPECT_EQ(ChosenWord("always [madvise] never\n"), "madvise");
  EXPECT_EQ(ChosenWord("none"), "");
  EXPECT_EQ(ChosenWord("]none["), "");
  EXPECT_EQ(ChosenWord(""), "");
}

}  // namespace
}  // namespace sluice::probes

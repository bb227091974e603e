#include "sluice/probes/mounts.h"

#include <gtest/gtest.h>

#include "probes/canned_tree.h"

namespace sluice::probes {
namespace {

constexpr const char* kMountInfo =
    "22 28 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw\n"
    "28 1 253:1 / / rw,relatime shared:1 - ext4 /dev/mapper/vg0-root rw,errors=remount-ro\n"
    "31 28 0:26 / /dev/shm rw,nosuid,nodev shared:4 - tmpfs tmpfs rw,inode64\n"
    "97 28 8:17 / /data rw,noatime shared:52 - xfs /dev/sdb1 rw,attr2,inode64,logbufs=8\n"
    "104 97 0:49 / /data/imagenet ro,relatime shared:60 - nfs4 filer:/export/imagenet "
    "ro,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,addr=10.0.0.9\n"
    "110 28 0:55 / /mnt/my\\040data rw,relatime - fuse.sshfs me@box:/d rw,user_id=1000,group_id=1000\n"
    "no mount at all\n";

TEST(Mounts, AreReadWithTheirFileSystemAndItsOptions) {
  const auto mounts = ParseMounts(kMountInfo);
  ASSERT_EQ(mounts.size(), 6);
  EXPECT_EQ(mounts[4].type, "nfs4");
  EXPECT_EQ(mounts[4].source, "filer:/export/imagenet");
  EXPECT_EQ(mounts[4].device, "0:49");
  EXPECT_EQ(OptionOf(mounts[4], "rsize"), "1048576");
  EXPECT_EQ(OptionOf(mounts[4], "nconnect"), "");
  EXPECT_EQ(mounts[5].point, "/mnt/my data");
}

TEST(Mounts, APathBelongsToTheDeepestOneAboveIt) {
  const auto mounts = ParseMounts(kMountInfo);
  EXPECT_EQ(MountOf(mounts, "/data/imagenet/train")->type, "nfs4");
  EXPECT_EQ(MountOf(mounts, "/data/imagenet")->type, "nfs4");
  EXPECT_EQ(MountOf(mounts, "/data/imagenet21k")->type, "xfs") << "its name only begins alike";
  EXPECT_EQ(MountOf(mounts, "/database")->type, "ext4");
  EXPECT_EQ(MountOf({}, "/data"), nullptr);
}

TEST(Mounts, TheLatestAtOnePointHidesTheOthers) {
  const auto mounts = ParseMounts(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /d rw - ext4 /dev/sda2 rw\n3 2 0:9 / /d rw - tmpfs none "
      "rw\n");
  EXPECT_EQ(MountOf(mounts, "/d/x")->type, "tmpfs");
}

TEST(Mounts, KindsAreToldApart) {
  EXPECT_EQ(KindOf("ext4"), MountKind::kDisk);
  EXPECT_EQ(KindOf("fuseblk"), MountKind::kDisk) << "ntfs-3g, on a disk";
  EXPECT_EQ(KindOf("zfs"), MountKind::kDisk);
  EXPECT_EQ(KindOf("tmpfs"), MountKind::kMemory);
  EXPECT_EQ(KindOf("overlay"), MountKind::kOverlay);
  for (const char* type : {"nfs", "nfs4", "cifs", "lustre", "ceph", "beegfs", "gpfs"})
    EXPECT_EQ(KindOf(type), MountKind::kNetwork) << type;
  for (const char* type : {"9p", "virtiofs"}) EXPECT_EQ(KindOf(type), MountKind::kHostShare) << type;
  for (const char* type : {"fuse.sshfs", "fuse.gcsfuse", "fuse"})
    EXPECT_EQ(KindOf(type), MountKind::kProgram) << type;
}

TEST(Mounts, WithoutProcThereIsAReason) {
  const CannedTree tree;
  const auto mounts = ReadMounts(tree.root());
  ASSERT_FALSE(mounts);
  EXPECT_NE(mounts.error().message.find("/proc/self/mountinfo"), std::string::npos);
}

}  // namespace
}  // namespace sluice::probes

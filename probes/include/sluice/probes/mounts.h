// What is mounted where: which file system a path lies on, and what kind of storage that is. Immutable
// functions; the parser is pure, the reader takes the root of the file system.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::probes {

struct Mount {
  std::string device{};   // "8:2"; "0:52" where there is no block device
  std::string root{};     // the part of the file system that is mounted
  std::string point{};    // where
  std::string type{};     // "ext4", "nfs4", "fuse.sshfs"
  std::string source{};   // "/dev/sda2", "server:/export"
  std::string options{};  // of the file system: "rw,lowerdir=/a:/b,upperdir=/c"
};

// In the order of /proc/<pid>/mountinfo, in which a later one hides an earlier one at the same point; lines
// that are none are left out. Blanks that the kernel writes as \040 are blanks again.
[[nodiscard]] std::vector<Mount> ParseMounts(std::string_view mountinfo);
// That `path` lies on; nullptr: there is none. REQUIRES: `path` is absolute and has no "..". Points into
// `mounts`.
[[nodiscard]] const Mount* MountOf(const std::vector<Mount>& mounts, std::string_view path);
// The value behind "key=" among the mount's options; empty: it has none.
[[nodiscard]] std::string OptionOf(const Mount& mount, std::string_view key);

enum class MountKind : std::uint8_t {
  kDisk,       // a file system on a block device, or one that brings its own (btrfs, zfs)
  kMemory,     // tmpfs: reads never leave the memory
  kOverlay,    // of a container: what is read lies in the folders below
  kNetwork,    // another machine answers
  kHostShare,  // 9p, virtiofs: the host of a virtual machine answers
  kProgram,    // fuse: a program answers each read, and mostly asks a network
};
[[nodiscard]] MountKind KindOf(std::string_view type);
// "a disk's", "a network's": of a file system.
[[nodiscard]] std::string_view KindName(MountKind kind);

// Of this process. `root` is prefixed to /proc.
[[nodiscard]] Result<std::vector<Mount>> ReadMounts(const std::string& root = "");

}  // namespace sluice::probes

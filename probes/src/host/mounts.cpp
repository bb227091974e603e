#include "sluice/probes/mounts.h"

#include <algorithm>
#include <array>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr std::size_t kMostMounts = 1 << 14;
constexpr std::array<std::string_view, 21> kNetworks{
    "nfs",   "nfs4",   "cifs",  "smb3",     "smbfs",     "lustre", "ceph", "beegfs", "gpfs", "mmfs", "afs",
    "panfs", "wekafs", "pvfs2", "orangefs", "glusterfs", "ncpfs",  "gfs2", "ocfs2",  "coda", "daos"};
constexpr std::array<std::string_view, 5> kMemories{"tmpfs", "ramfs", "hugetlbfs", "devtmpfs", "rootfs"};

bool IsOctal(char c) {
  return c >= '0' && c <= '7';
}

std::string Unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i, 4);
    if (code.size() == 4 && code[0] == '\\' && std::all_of(code.begin() + 1, code.end(), IsOctal)) {
      plain += static_cast<char>((code[1] - '0') * 64 + (code[2] - '0') * 8 + (code[3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool IsDevice(std::string_view text) {
  const auto colon = text.find(':');
  return colon != text.npos && ParseCount(text.substr(0, colon)) && ParseCount(text.substr(colon + 1));
}

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue"
std::optional<Mount> ParseMount(std::string_view line) {
  for (int i = 0; i < 2; ++i) static_cast<void>(TakeWord(line));
  Mount mount;
  mount.device = TakeWord(line);
  mount.root = Unescaped(TakeWord(line));
  mount.point = Unescaped(TakeWord(line));
  std::string_view word = TakeWord(line);
  while (!word.empty() && word != "-") word = TakeWord(line);
  mount.type = TakeWord(line);
  mount.source = Unescaped(TakeWord(line));
  mount.options = Unescaped(TakeWord(line));
  if (!mount.point.starts_with('/') || mount.type.empty() || !IsDevice(mount.device)) return std::nullopt;
  return mount;
}

bool IsBelow(std::string_view path, std::string_view point) {
  if (point == "/") return path.starts_with('/');
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

}  // namespace

std::vector<Mount> ParseMounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  while (!mountinfo.empty() && mounts.size() < kMostMounts) {
    if (auto mount = ParseMount(TakeLine(mountinfo))) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

const Mount* MountOf(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* nearest = nullptr;
  for (const Mount& mount : mounts) {
    if (IsBelow(path, mount.point) && (nearest == nullptr || mount.point.size() >= nearest->point.size()))
      nearest = &mount;
  }
  return nearest;
}

std::string OptionOf(const Mount& mount, std::string_view key) {
  std::string_view rest = mount.options;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const std::string_view option = rest.substr(0, end);
    if (option.size() > key.size() && option.starts_with(key) && option[key.size()] == '=')
      return std::string(option.substr(key.size() + 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

MountKind KindOf(std::string_view type) {
  if (type == "overlay" || type == "aufs" || type == "fuse.fuse-overlayfs") return MountKind::kOverlay;
  if (type == "9p" || type == "virtiofs" || type == "vboxsf" || type == "fuse.vmhgfs-fuse")
    return MountKind::kHostShare;
  if (std::ranges::count(kMemories, type) != 0) return MountKind::kMemory;
  if (std::ranges::count(kNetworks, type) != 0) return MountKind::kNetwork;
  if (type == "fuse" || type.starts_with("fuse.")) return MountKind::kProgram;
  return MountKind::kDisk;
}

std::string_view KindName(MountKind kind) {
  switch (kind) {
    case MountKind::kDisk:
      return "a disk's";
    case MountKind::kMemory:
      return "the memory's";
    case MountKind::kOverlay:
      return "an overlay";
    case MountKind::kNetwork:
      return "a network's";
    case MountKind::kHostShare:
      return "the host's, shared with this virtual machine";
    case MountKind::kProgram:
      return "a program's (FUSE)";
  }
  return "unknown";
}

Result<std::vector<Mount>> ReadMounts(const std::string& root) {
  const std::string path = root + "/proc/self/mountinfo";
  const auto text = ReadSmallFile(path);
  if (!text) return Fail(path + ": cannot be read; is /proc mounted?");
  return ParseMounts(*text);
}

}  // namespace sluice::probes

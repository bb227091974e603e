#include "sluice/probes/block_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 12;            // levels of dm, md, loop, partitions and overlays
constexpr std::size_t kMostDisks = 64;  // of one file system

std::string Trimmed(const std::string& path) {
  const auto text = ReadSmallFile(path);
  if (!text) return "";
  std::string_view rest = *text;
  std::string_view line = TakeLine(rest);
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  return std::string(line);
}

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

class Walk {
 public:
  Walk(const std::vector<Mount>& mounts, std::string root, Storage& found)
      : mounts_(mounts), root_(std::move(root)), found_(found) {}

  void FromPath(const std::string& path, int depth) {
    const Mount* mount = MountOf(mounts_, path);
    if (depth > kDeepest || mount == nullptr) {
      found_.problem = "no mount has " + path;
      return;
    }
    if (!named_) found_.mount = *mount;
    const MountKind kind = KindOf(mount->type);
    if (kind == MountKind::kOverlay) return ThroughOverlay(*mount, depth);
    named_ = true;
    if (!said_read_ahead_) ReadAhead(mount->device);
    if (kind == MountKind::kDisk) FromMount(*mount, depth);
  }

 private:
  // What is read mostly lies in the lowest layer; a container's root has been written there.
  void ThroughOverlay(const Mount& overlay, int depth) {
    found_.overlay = true;
    std::string below = OptionOf(overlay, "lowerdir");
    below = below.substr(below.rfind(':') == std::string::npos ? 0 : below.rfind(':') + 1);
    for (const std::string& folder : {below, OptionOf(overlay, "upperdir")}) {
      if (folder.starts_with('/') && Exists(root_ + folder)) return FromPath(folder, depth + 1);
    }
    found_.problem = "the folders below the overlay are not seen from here, as in most containers";
  }

  void FromMount(const Mount& mount, int depth) {
    if (!mount.device.starts_with("0:")) return FromDevice("/sys/dev/block/" + mount.device, depth);
    const std::string name = fs::path(mount.source).filename();
    const bool named = mount.source.starts_with("/dev/") && !name.empty() && !name.starts_with('.');
    if (named && Exists(root_ + "/sys/class/block/" + name))
      return FromDevice("/sys/class/block/" + name, depth);
    for (const std::string& device : NamesIn(root_ + "/sys/class/block")) {
      if (named && Trimmed(fmt::format("{}/sys/class/block/{}/dm/name", root_, device)) == name)
        return FromDevice("/sys/class/block/" + device, depth);
    }
    found_.problem = fmt::format("{} does not say which disks it has ({})", mount.type, mount.source);
  }

  void FromDevice(const std::string& link, int depth) {
    std::error_code error;
    const fs::path place = fs::canonical(root_ + link, error);
    if (error || depth > kDeepest) {
      found_.problem = link + ": cannot be read";
      return;
    }
    FromFolder(place, depth);
  }

  void FromFolder(const fs::path& place, int depth) {
    const std::string name = place.filename();
    if (depth > kDeepest || std::ranges::count(found_.chain, name) != 0) return;  // below itself
    found_.chain.push_back(name);
    if (Exists(place / "partition")) return FromFolder(place.parent_path(), depth + 1);
    const std::string backing = Trimmed(place / "loop" / "backing_file");
    if (backing.starts_with('/')) return FromPath(backing, depth + 1);
    const std::vector<std::string> below = NamesIn(place / "slaves");
    for (const std::string& each : below) FromDevice("/sys/class/block/" + each, depth + 1);
    if (below.empty()) AddDisk(place, name);
  }

  void AddDisk(const fs::path& place, const std::string& name) {
    const auto same = [&](const BlockDevice& disk) { return disk.name == name; };
    if (found_.disks.size() >= kMostDisks || std::ranges::any_of(found_.disks, same)) return;
    BlockDevice disk{.name = name};
    const auto rotational = ReadSmallFile(place / "queue" / "rotational");
    const auto number = rotational ? ParseInteger(*rotational) : std::nullopt;
    if (number && (*number == 0 || *number == 1)) disk.rotational = *number == 1;
    const std::string schedulers = Trimmed(place / "queue" / "scheduler");
    disk.scheduler = ChosenWord(schedulers);
    disk.schedulers = OfferedWords(schedulers);
    disk.model = Trimmed(place / "device" / "model");
    disk.of_hypervisor = IsOfHypervisor(place, name, disk.model);
    found_.disks.push_back(std::move(disk));
  }

  static bool IsOfHypervisor(const fs::path& place, const std::string& name, const std::string& model) {
    const std::string path = place.string();
    return name.starts_with("vd") || name.starts_with("xvd") || path.find("/virtio") != path.npos ||
           path.find("/vmbus") != path.npos || path.find("/xen/") != path.npos || model.starts_with("QEMU") ||
           model.starts_with("VBOX") || model.starts_with("Virtual ") || model.starts_with("VMware");
  }

  // The device of a partition's file system is that of the whole disk.
  void ReadAhead(const std::string& device) {
    said_read_ahead_ = true;
    std::error_code error;
    fs::path place = fs::canonical(root_ + "/sys/dev/block/" + device, error);
    if (!error && Exists(place / "partition")) place = place.parent_path();
    const std::string disk = error ? device : Trimmed(place / "dev");
    const std::string file = fmt::format("/sys/class/bdi/{}/read_ahead_kb", disk.empty() ? device : disk);
    const auto text = ReadSmallFile(root_ + file);
    const auto count = text ? ParseCount(*text, 1024) : std::nullopt;
    if (!count) return;
    found_.read_ahead = Bytes{*count};
    found_.read_ahead_file = file;
  }

  const std::vector<Mount>& mounts_;
  const std::string root_;
  Storage& found_;
  bool named_ = false;
  bool said_read_ahead_ = false;
};

}  // namespace

std::string ChosenWord(std::string_view text) {
  const auto open = text.find('[');
  const auto close = text.find(']', open == text.npos ? 0 : open);
  if (open == text.npos || close == text.npos) return "";
  return std::string(text.substr(open + 1, close - open - 1));
}

std::vector<std::string> OfferedWords(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    std::string word(TakeWord(text));
    std::erase_if(word, [](char c) { return c == '[' || c == ']'; });
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

Result<Storage> ReadStorage(const std::string& path, const std::string& root) {
  const auto mounts = ReadMounts(root);
  if (!mounts) return std::unexpected(mounts.error());
  Storage found{.path = path};
  Walk(*mounts, root, found).FromPath(path, 0);
  return found;
}

}  // namespace sluice::probes

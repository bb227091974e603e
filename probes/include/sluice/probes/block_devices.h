// Which disks are behind a file system: from its device through partitions, dm (LVM, crypt), md (RAID) and
// loop devices down to those that have no other below, and what the kernel says of them. Immutable functions.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"
#include "sluice/probes/mounts.h"

namespace sluice::probes {

// A disk; what is not told is empty.
struct BlockDevice {
  std::string name{};                // "sda", "nvme0n1"
  std::optional<bool> rotational{};  // of virtio and Xen disks the driver's default, whatever is behind them
  std::string scheduler{};           // in force: "mq-deadline"
  std::vector<std::string> schedulers{};  // that it may have
  bool of_hypervisor = false;             // virtio, Xen, VMware's or Hyper-V's: what is behind it is not told
  std::string model{};
};

struct Storage {
  std::string path{};    // that was asked for
  Mount mount{};         // that it lies on; of an overlay, the one below that has what was asked for
  bool overlay = false;  // an overlay was passed on the way there
  std::vector<std::string> chain{};  // "dm-0", "sda2", "sda": from the file system down
  std::vector<BlockDevice> disks{};  // empty: none can be followed to, see `problem`
  std::optional<Bytes> read_ahead{};
  std::string read_ahead_file{};  // that it is read from and set in
  std::string problem{};          // why no disk was found; empty: there is none to find, or it was found
};

// The word in brackets of "none [mq-deadline] kyber"; empty: there is none.
[[nodiscard]] std::string ChosenWord(std::string_view text);
// All words of it.
[[nodiscard]] std::vector<std::string> OfferedWords(std::string_view text);

// Of an absolute path without "..". `root` is prefixed to /proc and /sys. Fails where no mount can be read.
[[nodiscard]] Result<Storage> ReadStorage(const std::string& path, const std::string& root = "");

}  // namespace sluice::probes

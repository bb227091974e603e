#include "doctor/storage_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sluice/base/text.h"

namespace sluice::app {
namespace {

using State = DoctorCheck::State;
using probes::BlockDevice;
using probes::MountKind;
using probes::Storage;

constexpr Bytes kLargeFile = 4_MiB;   // read in one go, read-ahead sets the pace
constexpr Bytes kHugeFile = 64_MiB;   // many records in one: they may be read at random
constexpr Bytes kLeastAhead = 1_MiB;  // where each request waits for heads or for a network
constexpr Bytes kMuchAhead = 4_MiB;   // of which a read of one record uses little
constexpr const char* kAheadOfSlow = "4096";
constexpr const char* kAheadOfRandom = "128";
constexpr double kMostlyCached = 0.9;

// How reads that the page cache does not answer fare.
enum class Pace { kFast, kSlow, kUnknown };

bool Rotates(const BlockDevice& disk) {
  return disk.rotational == true && !disk.of_hypervisor;
}

Pace PaceOf(const Storage& storage) {
  switch (probes::KindOf(storage.mount.type)) {
    case MountKind::kNetwork:
    case MountKind::kHostShare:
    case MountKind::kProgram:
      return Pace::kSlow;
    case MountKind::kMemory:
      return Pace::kFast;
    case MountKind::kOverlay:
      return Pace::kUnknown;
    case MountKind::kDisk:
      break;
  }
  if (std::ranges::any_of(storage.disks, Rotates)) return Pace::kSlow;
  const auto told = [](const BlockDevice& disk) { return disk.rotational == false && !disk.of_hypervisor; };
  return !storage.disks.empty() && std::ranges::all_of(storage.disks, told) ? Pace::kFast : Pace::kUnknown;
}

bool InMemory(const Storage& storage) {
  return probes::KindOf(storage.mount.type) == MountKind::kMemory;
}

// "nvme0n1 (dm-0, nvme0n1p2)"
std::string DisksText(const Storage& storage) {
  std::vector<std::string> disks, between;
  for (const BlockDevice& disk : storage.disks)
    disks.push_back(disk.model.empty() ? disk.name : fmt::format("{} ({})", disk.name, disk.model));
  for (const std::string& name : storage.chain) {
    if (std::ranges::none_of(storage.disks, [&](const BlockDevice& disk) { return disk.name == name; }))
      between.push_back(name);
  }
  const std::string text = fmt::format("{}", fmt::join(disks, ", "));
  return between.empty() ? text : fmt::format("{} through {}", text, fmt::join(between, ", "));
}

std::vector<exporters::DoctorEvidence> DeviceEvidence(const Storage& storage) {
  std::vector<exporters::DoctorEvidence> evidence{
      {"/proc/self/mountinfo", fmt::format("{} on {}, type {}, device {}", storage.mount.source,
                                           storage.mount.point, storage.mount.type, storage.mount.device)}};
  for (const BlockDevice& disk : storage.disks) {
    evidence.push_back({fmt::format("/sys/block/{}/queue/rotational", disk.name),
                        disk.rotational ? (*disk.rotational ? "1" : "0") : "missing"});
  }
  return evidence;
}

// Of what was looked at; 0: of nothing.
Fraction CachedOf(const DataLook& look) {
  return Share(static_cast<double>(look.cached.cached.count), static_cast<double>(look.cached.looked.count));
}

bool Fits(const DataLook& look, const FreeMemory& memory) {
  return look.sample.whole && memory.bytes && look.sample.bytes <= *memory.bytes;
}

// Where all is known to fit, it is read into memory once; else it is copied.
void MendSlow(const DataLook& look, const FreeMemory& memory, DoctorCheck& check) {
  if (Fits(look, memory)) {
    check.remedy = fmt::format("find -H {} -type f -exec cat {{}} + > /dev/null", Quoted(look.folder));
    check.costs = fmt::format("no rights; reads {} once; lasts until something else needs the memory",
                              FormatBytes(look.sample.bytes));
  } else {
    check.remedy = fmt::format("cp -a {} FAST_DISK/", Quoted(look.folder));
    check.costs =
        fmt::format("no rights; {}{} of room on a disk that does not rotate, and another path in the script",
                    look.sample.whole ? "" : "at least ", FormatBytes(look.sample.bytes));
  }
}

std::string DeviceText(const DataLook& look, const Storage& storage) {
  const std::string& type = storage.mount.type;
  switch (probes::KindOf(type)) {
    case MountKind::kMemory:
      return fmt::format("{}: {}, in memory", look.folder, type);
    case MountKind::kNetwork:
      return fmt::format("{}: {} of {}: another machine answers each read that is not cached", look.folder,
                         type, storage.mount.source);
    case MountKind::kHostShare:
      return fmt::format("{}: {}: the host of this virtual machine answers each read that is not cached",
                         look.folder, type);
    case MountKind::kProgram:
      return fmt::format("{}: {} of {}: a program answers each read that is not cached", look.folder, type,
                         storage.mount.source);
    case MountKind::kOverlay:
      return fmt::format("{}: an overlay: {}", look.folder, storage.problem);
    case MountKind::kDisk:
      break;
  }
  if (storage.disks.empty()) return fmt::format("{}: {}: {}", look.folder, type, storage.problem);
  const std::string where = fmt::format("{}: {} on {}", look.folder, type, DisksText(storage));
  if (std::ranges::any_of(storage.disks, Rotates))
    return where + ": it rotates, and each read at another place waits for its heads";
  if (std::ranges::any_of(storage.disks, &BlockDevice::of_hypervisor))
    return where + ": a hypervisor's disk, and what is behind it is not told";
  if (PaceOf(storage) == Pace::kFast) return where + ", which does not rotate";
  return where + ": whether it rotates is not told";
}

DoctorCheck CheckDevice(const DataLook& look, const Storage& storage, const FreeMemory& memory) {
  const Pace pace = PaceOf(storage);
  DoctorCheck check{.state = pace == Pace::kFast ? State::kGood : State::kNote,
                    .subject = "storage",
                    .found = DeviceText(look, storage),
                    .remedy = "",
                    .kind = "storage_device",
                    .evidence = DeviceEvidence(storage)};
  if (pace != Pace::kSlow || look.sample.files == 0) return check;
  if (Fits(look, memory) && CachedOf(look).value >= kMostlyCached) {
    check.found += fmt::format("; {} of what was looked at is cached now", FormatPercent(CachedOf(look)));
  } else {
    MendSlow(look, memory, check);
  }
  return check;
}

// What suits the disk better, of those it may have; empty: it has it.
std::string BetterScheduler(const BlockDevice& disk) {
  const auto offers = [&](const char* name) { return std::ranges::count(disk.schedulers, name) != 0; };
  if (Rotates(disk) && disk.scheduler == "none" && offers("mq-deadline")) return "mq-deadline";
  if (disk.rotational == false && disk.scheduler == "bfq")
    return offers("none") ? "none" : offers("mq-deadline") ? "mq-deadline" : "";
  return "";
}

DoctorCheck CheckScheduler(const BlockDevice& disk) {
  const std::string file = fmt::format("/sys/block/{}/queue/scheduler", disk.name);
  if (disk.scheduler.empty())
    return NotTold("scheduler", "io_scheduler", file, disk.name + " has no scheduler that can be read");
  DoctorCheck check{
      .state = State::kGood,
      .subject = "scheduler",
      .found = fmt::format("{} of {}", disk.scheduler, disk.name),
      .remedy = "",
      .kind = "io_scheduler",
      .evidence = {{file, fmt::format("{}, of {}", disk.scheduler, fmt::join(disk.schedulers, ", "))}}};
  const std::string better = BetterScheduler(disk);
  if (better.empty()) return check;
  check.state = State::kNote;
  check.found += Rotates(disk) ? ": reads come in the order they were asked for, and the heads travel more"
                               : ": it sorts for heads that this disk does not have";
  check.remedy = EchoInto(better, file);
  check.costs = kUntilBoot;
  return check;
}

DoctorCheck CheckReadAhead(const DataLook& look, const Storage& storage) {
  if (!storage.read_ahead)
    return NotTold("read-ahead", "read_ahead",
                   fmt::format("/sys/class/bdi/{}/read_ahead_kb", storage.mount.device),
                   storage.mount.type + " has none that can be read");
  const Bytes size = probes::MiddleSize(look.sample);
  const Bytes ahead = *storage.read_ahead;
  DoctorCheck check{.state = State::kGood,
                    .subject = "read-ahead",
                    .found = fmt::format("{} for files of mostly {}", FormatBytes(ahead), FormatBytes(size)),
                    .remedy = "",
                    .kind = "read_ahead",
                    .evidence = {{storage.read_ahead_file, std::to_string(ahead.count / 1024)},
                                 {look.folder, fmt::format("{} of {} that were looked at have at least {}",
                                                           (look.sample.chosen.size() + 1) / 2,
                                                           Counted(look.sample.chosen.size(), "file"),
                                                           FormatBytes(size))}}};
  const Pace pace = PaceOf(storage);
  if (pace == Pace::kSlow && size >= kLargeFile && ahead < kLeastAhead) {
    check.state = State::kNote;
    check.found += ": little where each request waits; read in order they come faster with more";
    check.remedy = EchoInto(kAheadOfSlow, storage.read_ahead_file);
    check.costs = std::string(kUntilBoot) + " or mount; reads at random fetch more than they use";
  } else if (pace != Pace::kSlow && size >= kHugeFile && ahead >= kMuchAhead) {
    check.state = State::kNote;
    check.found += ": right for reads in order; where records are read at random, each may fetch that much";
    check.remedy = EchoInto(kAheadOfRandom, storage.read_ahead_file);
    check.costs =
        std::string(kUntilBoot) + " or mount; worth it only for reads at random: those in order get slower";
  }
  return check;
}

std::string SizeText(const probes::DataSample& sample) {
  return fmt::format("{}{} in {}", sample.whole ? "" : "at least ", FormatBytes(sample.bytes),
                     Counted(sample.files, "file"));
}

DoctorCheck CheckFit(const DataLook& look, const FreeMemory& memory) {
  const probes::DataSample& sample = look.sample;
  if (!memory.bytes)
    return NotTold("data set", "data_fit", memory.origin,
                   SizeText(sample) + ", and what is free cannot be read");
  const std::string free = FormatBytes(*memory.bytes);
  DoctorCheck check{.state = State::kGood,
                    .subject = "data set",
                    .found = fmt::format("{}: {}", look.folder, SizeText(sample)),
                    .remedy = "",
                    .kind = "data_fit",
                    .evidence = {{look.folder, SizeText(sample)}, {memory.origin, free + " free"}}};
  if (sample.closed > 0)
    check.evidence.push_back({look.folder, Counted(sample.closed, "folder") + " may not be read"});
  if (sample.bytes > *memory.bytes) {
    check.state = State::kNote;
    check.found += fmt::format(", and {} are free: each epoch reads from the storage again", free);
    if (memory.origin.starts_with("cgroup")) {
      check.remedy = "docker update --memory SIZE CONTAINER, or a higher memory limit of the job";
      check.costs = "the rights of who started it; the memory is not others' then";
    }
  } else if (sample.whole) {
    check.found += fmt::format(", fits into the {} that are free", free);
  } else {
    check.state = State::kNote;
    check.found += fmt::format(
        ": there is more than was looked at, and whether it fits into the {} that are free is not known",
        free);
  }
  return check;
}

std::string LookedText(const DataLook& look) {
  return fmt::format("{} of {}{} looked at{}", Counted(look.cached.files, "file"),
                     look.sample.whole ? "" : "more than ", look.sample.files,
                     look.cached.whole ? "" : ", then time was up");
}

DoctorCheck CheckCache(const DataLook& look, const std::optional<Storage>& storage,
                       const FreeMemory& memory) {
  const std::string asked = look.cached.by_cachestat ? "cachestat" : "mincore";
  if (look.cached.looked == Bytes{0}) {
    return NotTold("page cache", "page_cache", asked + " of " + look.folder,
                   look.cached.hidden > 0
                       ? fmt::format("{} of {} belong to others, and the kernel tells only their owner",
                                     look.cached.hidden, look.sample.chosen.size())
                       : "there is nothing to look at");
  }
  const Fraction share = CachedOf(look);
  DoctorCheck check{.state = State::kGood,
                    .subject = "page cache",
                    .found = fmt::format("{} of the {} looked at are cached ({})", FormatPercent(share),
                                         FormatBytes(look.cached.looked), LookedText(look)),
                    .remedy = "",
                    .kind = "page_cache",
                    .evidence = {{asked + " of " + look.folder,
                                  fmt::format("{} of {} in {}", FormatBytes(look.cached.cached),
                                              FormatBytes(look.cached.looked), LookedText(look))}}};
  if (look.cached.hidden > 0)
    check.evidence.push_back(
        {look.folder, Counted(look.cached.hidden, "file") +
                          " of which nothing is told: others', or none that can be mapped"});
  if (storage && storage->mount.type == "zfs") {
    check.state = State::kNote;
    check.found += "; zfs has a cache of its own beside it, which is not told";
  }
  const bool needed = !storage || PaceOf(*storage) != Pace::kFast;
  if (share.value >= kMostlyCached || !needed) return check;
  check.state = State::kNote;
  if (Fits(look, memory)) MendSlow(look, memory, check);
  return check;
}

}  // namespace

std::vector<DoctorCheck> StorageChecks(const DataLook& look, const FreeMemory& memory) {
  std::vector<DoctorCheck> checks;
  std::optional<Storage> storage;
  if (look.storage) {
    storage = *look.storage;
    checks.push_back(CheckDevice(look, *storage, memory));
    for (const BlockDevice& disk : storage->disks) checks.push_back(CheckScheduler(disk));
    if (look.sample.files > 0 && !InMemory(*storage)) checks.push_back(CheckReadAhead(look, *storage));
  } else {
    checks.push_back(
        NotTold("storage", "storage_device", "/proc/self/mountinfo", look.storage.error().message));
  }
  if (look.sample.files == 0) {
    checks.push_back({.state = State::kNote,
                      .subject = "data set",
                      .found = look.folder + ": no files: name the data set with --data DIR",
                      .remedy = "",
                      .kind = "data_fit"});
    return checks;
  }
  if (storage && InMemory(*storage)) return checks;
  checks.push_back(CheckFit(look, memory));
  checks.push_back(CheckCache(look, storage, memory));
  return checks;
}

}  // namespace sluice::app

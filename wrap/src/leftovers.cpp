#include "sluice/wrap/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/segment_reader.h"
#include "sluice/probes/segment_writer.h"

namespace sluice::wrap {
namespace {

constexpr std::string_view kSharedMemory = "/dev/shm/";
constexpr std::string_view kSemaphore = "sem.mp-sluice-";  // NAMESPACE-PID-TICKS-RANDOM
constexpr std::string_view kTensor = "torch_";             // PID_RANDOM_NUMBER
constexpr std::chrono::seconds kClockSlack{1};

struct Maker {
  int pid = 0;
  std::uint64_t ticks = 0;
};

struct Candidate {
  std::string path;
  bool semaphore = false;
};

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (!entries) return names;
  while (const dirent* entry = readdir(entries.get())) names.emplace_back(entry->d_name);
  return names;
}

// The number before the next `separator`, which goes with it.
std::optional<std::int64_t> TakeNumber(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const auto number = probes::ParseInteger(text.substr(0, end));
  text.remove_prefix(end + 1);
  if (!number || *number < 0) return std::nullopt;
  return number;
}

std::int64_t OwnNamespace(const std::string& root) {
  struct stat info;
  return stat((root + "/proc/self/ns/pid").c_str(), &info) == 0 ? static_cast<std::int64_t>(info.st_ino) : -1;
}

std::optional<Maker> MakerOfSemaphore(std::string_view name, std::int64_t own_namespace) {
  if (!name.starts_with(kSemaphore)) return std::nullopt;
  name.remove_prefix(kSemaphore.size());
  const auto where = TakeNumber(name, '-');
  const auto pid = TakeNumber(name, '-');
  const auto ticks = TakeNumber(name, '-');
  if (!where || *where != own_namespace || !pid || !ticks) return std::nullopt;
  return Maker{static_cast<int>(*pid), static_cast<std::uint64_t>(*ticks)};
}

std::optional<int> MakerOfTensor(std::string_view name) {
  if (!name.starts_with(kTensor)) return std::nullopt;
  name.remove_prefix(kTensor.size());
  const auto pid = TakeNumber(name, '_');
  return pid ? std::optional(static_cast<int>(*pid)) : std::nullopt;
}

bool Lives(int pid, const std::string& root) {
  const auto stat = probes::ReadProcStat(pid, root);
  return stat && stat->state != 'Z' && stat->state != 'X';
}

bool AnyLives(const Makers& makers, const std::string& root) {
  return std::ranges::any_of(makers, [&](const auto& maker) { return Lives(maker.first, root); });
}

Nanos WallOf(std::uint64_t ticks) {
  const double seconds = static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return WallNow() - ReadClock(CLOCK_BOOTTIME) + FromSeconds(seconds);
}

std::optional<struct stat> OwnFile(const std::string& path) {
  struct stat info;
  const bool own = lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
  return own ? std::optional(info) : std::nullopt;
}

Nanos WrittenAt(const struct stat& info) {
  return std::chrono::seconds(info.st_mtim.tv_sec) + Nanos(info.st_mtim.tv_nsec);
}

std::vector<Candidate> FindCandidates(const Makers& makers, const std::string& root) {
  std::vector<Candidate> found;
  const std::int64_t own_namespace = OwnNamespace(root);
  const std::string folder = root + std::string(kSharedMemory);
  std::optional<bool> run_lives;
  for (const std::string& name : NamesIn(folder)) {
    const auto semaphore = MakerOfSemaphore(name, own_namespace);
    const auto tensor = MakerOfTensor(name);
    const auto maker = tensor ? makers.find(*tensor) : makers.end();
    if (!semaphore && maker == makers.end()) continue;
    const auto file = OwnFile(folder + name);
    if (!file) continue;
    if (semaphore) {
      if (!probes::ProcessAlive(semaphore->pid, semaphore->ticks, root))
        found.push_back({folder + name, true});
      continue;
    }
    if (!run_lives) run_lives = AnyLives(makers, root);
    if (!*run_lives && WrittenAt(*file) + kClockSlack >= WallOf(maker->second)) {
      found.push_back({folder + name, false});
    }
  }
  return found;
}

// The names of all files of /dev/shm that some process maps.
std::set<std::string> Mapped(const std::string& root) {
  std::set<std::string> names;
  for (const std::string& pid : NamesIn(root + "/proc")) {
    if (!probes::ParseInteger(pid)) continue;
    std::ifstream maps(fmt::format("{}/proc/{}/maps", root, pid));
    for (std::string line; std::getline(maps, line);) {
      const std::size_t at = line.find(kSharedMemory);
      if (at == std::string::npos) continue;
      const std::string name = line.substr(at + kSharedMemory.size());
      names.insert(name.substr(0, name.find(' ')));  // "... (deleted)"
    }
  }
  return names;
}

std::string_view NameOf(const Candidate& candidate) {
  return std::string_view(candidate.path).substr(candidate.path.rfind('/') + 1);
}

Makers MakersIn(const probes::SegmentReader& reader) {
  const probes::SegmentIdentity& identity = reader.identity();
  Makers makers{{static_cast<int>(identity.pid), identity.start_ticks}};
  for (const probes::WorkerThread& worker : reader.Threads()) {
    if (worker.pid > 0) makers.try_emplace(worker.pid, identity.start_ticks);
  }
  return makers;
}

}  // namespace

Leftovers RemoveLeftovers(const Makers& makers, const std::string& root) {
  Leftovers removed;
  const auto candidates = FindCandidates(makers, root);
  if (candidates.empty()) return removed;
  const auto mapped = Mapped(root);
  for (const Candidate& candidate : candidates) {
    if (mapped.contains(std::string(NameOf(candidate)))) continue;
    if (unlink(candidate.path.c_str()) != 0) continue;
    ++(candidate.semaphore ? removed.semaphores : removed.tensors);
  }
  return removed;
}

Leftovers RemoveWhatDeadRunsLeft() {
  Leftovers removed = RemoveLeftovers();
  const std::string folder = probes::DefaultSegmentFolder();
  for (const probes::FoundSegment& found : probes::FindSegments(folder, false)) {
    if (found.alive) continue;
    const auto reader = probes::SegmentReader::Open(found.path);
    if (reader && AnyLives(MakersIn(*reader), "")) return removed;
  }
  probes::RemoveDeadSegments(folder, [&removed](const probes::SegmentReader& reader) {
    removed.tensors += RemoveLeftovers(MakersIn(reader)).tensors;
  });
  return removed;
}

}  // namespace sluice::wrap

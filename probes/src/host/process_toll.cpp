#include "sluice/probes/process_toll.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostSwitches = std::int64_t{1} << 48;
constexpr int kMostThreads = 4096;  // of a process that are looked at
constexpr std::string_view kOpenFiles = "Max open files";

std::optional<Switches> SwitchesOfThreads(const std::string& folder) {
  std::optional<Switches> sum;
  std::error_code error;
  int threads = 0;
  for (const auto& entry : fs::directory_iterator(folder + "/task", error)) {
    if (++threads > kMostThreads) break;
    const auto status = ReadSmallFile(entry.path() / "status");
    const auto switches = status ? ParseSwitches(*status) : std::nullopt;
    if (!switches) continue;
    if (!sum) sum.emplace();
    sum->asked += switches->asked;
    sum->forced += switches->forced;
  }
  return sum;
}

std::optional<std::uint64_t> EntriesIn(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) return std::nullopt;
  std::uint64_t count = 0;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) ++count;
  return count;
}

}  // namespace

std::optional<Switches> ParseSwitches(std::string_view status) {
  const auto asked = FindCount(status, "voluntary_ctxt_switches");
  const auto forced = FindCount(status, "nonvoluntary_ctxt_switches");
  if (!asked || !forced || *asked > kMostSwitches || *forced > kMostSwitches) return std::nullopt;
  return Switches{static_cast<std::uint64_t>(*asked), static_cast<std::uint64_t>(*forced)};
}

std::optional<std::uint64_t> ParseFileLimit(std::string_view limits) {
  while (!limits.empty()) {
    std::string_view line = TakeLine(limits);
    if (!line.starts_with(kOpenFiles)) continue;
    line.remove_prefix(kOpenFiles.size());
    const auto count = ParseCount(TakeWord(line));
    if (!count) return std::nullopt;  // "unlimited"
    return static_cast<std::uint64_t>(*count);
  }
  return std::nullopt;
}

std::optional<ProcessToll> ReadProcessToll(int pid, const std::string& root) {
  const auto stat = ReadProcStat(pid, root);
  if (!stat) return std::nullopt;
  const std::string folder = fmt::format("{}/proc/{}", root, pid);
  ProcessToll toll{.name = stat->name,
                   .user = FromTicks(stat->utime_ticks),
                   .system = FromTicks(stat->stime_ticks),
                   .switches = SwitchesOfThreads(folder),
                   .swapped = {},
                   .files = EntriesIn(folder + "/fd"),
                   .file_limit = {}};
  const auto status = ReadSmallFile(folder + "/status");
  const auto swapped = status ? FindCount(*status, "VmSwap", 1024) : std::nullopt;
  if (swapped) toll.swapped = Bytes{*swapped};
  if (const auto limits = ReadSmallFile(folder + "/limits")) toll.file_limit = ParseFileLimit(*limits);
  return toll;
}

}  // namespace sluice::probes

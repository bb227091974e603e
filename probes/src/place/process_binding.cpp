#include "sluice/probes/process_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "sluice/probes/binding.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr int kMostLooks = 16;  // a process that starts threads faster than this is not waited for
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;  // an exbibyte: no machine has more

std::set<int> ThreadsOf(int pid) {
  std::set<int> threads;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    const auto number = ParseInteger(entry.path().filename().string());
    if (number && *number > 0 && *number <= INT32_MAX) threads.insert(static_cast<int>(*number));
  }
  return threads;
}

bool IsGone(int pid, int tid) {
  return !std::filesystem::exists(fmt::format("/proc/{}/task/{}", pid, tid));
}

// "N1=42" of node 1 in `pages`, "kernelpagesize_kB=4".
std::optional<std::pair<int, std::int64_t>> Numbered(std::string_view word) {
  const auto equals = word.find('=');
  if (word.empty() || word.front() != 'N' || equals == std::string_view::npos) return std::nullopt;
  const auto node = ParseInteger(word.substr(1, equals - 1));
  const auto count = ParseInteger(word.substr(equals + 1));
  if (!node || !count || *node < 0 || *node > CpuSet::kMost || *count < 0) return std::nullopt;
  return std::pair(static_cast<int>(*node), *count);
}

}  // namespace

ProcessBinding BindProcess(int pid, const CpuSet& cpus) {
  std::set<int> seen;
  ProcessBinding made;
  for (int look = 0; look < kMostLooks; ++look) {
    bool fresh = false;
    for (const int tid : ThreadsOf(pid)) {
      if (!seen.insert(tid).second) continue;
      fresh = true;
      const auto bound = BindThread(tid, cpus);
      if (!bound && !IsGone(pid, tid)) made.refusal = bound.error().message;
    }
    if (!fresh) break;
  }
  for (const int tid : ThreadsOf(pid)) {
    const auto now = ReadAffinity(tid);
    if (!now) continue;
    ++made.threads;
    made.bound += now->Within(cpus);
  }
  return made;
}

std::map<int, Bytes> ParseNumaMaps(std::string_view text) {
  constexpr std::string_view kSize = "kernelpagesize_kB=";
  std::map<int, Bytes> bytes;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    std::map<int, std::int64_t> pages;
    std::int64_t size = 4;
    while (!line.empty()) {
      const std::string_view word = TakeWord(line);
      if (word.starts_with(kSize)) {
        size = std::clamp<std::int64_t>(ParseInteger(word.substr(kSize.size())).value_or(4), 1, 1 << 22);
      } else if (const auto on = Numbered(word)) {
        pages[on->first] = on->second;
      }
    }
    for (const auto& [node, count] : pages) {
      const std::int64_t each = size * 1024;
      if (count <= kMostBytes / each) bytes[node] = {std::min(bytes[node].count + count * each, kMostBytes)};
    }
  }
  return bytes;
}

std::optional<std::map<int, Bytes>> ReadNumaMaps(int pid, const std::string& root) {
  const auto text = ReadSmallFile(fmt::format("{}/proc/{}/numa_maps", root, pid));
  if (!text) return std::nullopt;
  return ParseNumaMaps(*text);
}

}  // namespace sluice::probes

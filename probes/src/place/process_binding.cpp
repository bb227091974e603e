#include "sluice/probes/process_binding.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "sluice/probes/binding.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

constexpr int kMostLooks = 16;  // a process that starts threads faster than this is not waited for

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
      if (!bound && made.refusal.empty() && !IsGone(pid, tid)) made.refusal = bound.error().message;
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

}  // namespace sluice::probes

#include "quiet.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "sluice/probes/machine_budget.h"
#include "sluice/probes/proc_files.h"

namespace sluice::bench {
namespace {

constexpr double kBusyShare = 0.05;
constexpr int kLooks = 3;
constexpr std::chrono::seconds kLook{1};

struct Ticks {
  std::string name;
  std::uint64_t ticks = 0;
};
// By pid and start: names change, and pids come again.
using TicksOfProcesses = std::map<std::pair<std::int64_t, std::uint64_t>, Ticks>;

TicksOfProcesses TicksOfAll() {
  TicksOfProcesses all;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const auto pid = probes::ParseInteger(entry.path().filename().native());
    const auto stat = pid && *pid != getpid() ? probes::ReadProcStat(static_cast<int>(*pid)) : std::nullopt;
    if (stat) all[{*pid, stat->start_ticks}] = {stat->name, stat->utime_ticks + stat->stime_ticks};
  }
  return all;
}

// The name under which processes took most.
std::string Busiest(const TicksOfProcesses& before, const TicksOfProcesses& after) {
  std::map<std::string, std::uint64_t> took;
  for (const auto& [key, now] : after) {
    const auto known = before.find(key);
    took[now.name] += now.ticks - (known == before.end() ? 0 : known->second.ticks);
  }
  const auto most = std::ranges::max_element(took, {}, [](const auto& entry) { return entry.second; });
  return most == took.end() || most->second == 0 ? "processes that cannot be seen" : most->first;
}

struct Others {
  double share = 0;  // of the CPUs
  std::string busiest;
};

// This process sleeps meanwhile: what is busy is others'. Nothing, where the kernel does not say.
Others LookForASecond() {
  const auto before = probes::ReadCpuTimes(0);
  const TicksOfProcesses ticks = TicksOfAll();
  std::this_thread::sleep_for(kLook);
  const auto after = probes::ReadCpuTimes(0);
  if (!before || !after) return {};
  const auto busy = static_cast<double>(after->busy_ticks - before->busy_ticks);
  const auto idle = static_cast<double>(after->idle_ticks - before->idle_ticks);
  return {busy / std::max(1.0, busy + idle), Busiest(ticks, TicksOfAll())};
}

}  // namespace

void LookAround(WhenBusy busy) {
  if (busy == WhenBusy::kDoNotLook) return;
  Others others;
  for (int look = 0; look < kLooks; ++look) {
    others = LookForASecond();
    if (others.share <= kBusyShare) return;
  }
  const std::string what = fmt::format("other work takes {:.0f}% of the cores (most of it {})",
                                       100 * others.share, others.busiest);
  if (busy == WhenBusy::kWarn) {
    fmt::print(stderr, "note: {}; trust only ratios, and those little\n", what);
    return;
  }
  fmt::print(stderr, "{}: not measured: {}. Wait for its end, or measure all the same: --force\n",
             program_invocation_short_name, what);
  std::exit(3);
}

}  // namespace sluice::bench

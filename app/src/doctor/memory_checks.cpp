#include "doctor/memory_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sluice/base/text.h"

namespace sluice::app {
namespace {

using State = DoctorCheck::State;

constexpr Bytes kBigItem = 4_MiB;        // allocators ask for huge pages from here on
constexpr Bytes kMuchAside = 256_MiB;    // in hugetlb pages that nobody uses
constexpr Bytes kLeastSwapped = 16_MiB;  // of a run: what it never touches again may go
constexpr int kReadySwap = 60;           // the kernel's own choice
constexpr const char* kEnabled = "/sys/kernel/mm/transparent_hugepage/enabled";
constexpr const char* kDefrag = "/sys/kernel/mm/transparent_hugepage/defrag";
constexpr const char* kSwappiness = "/proc/sys/vm/swappiness";

std::string CountText(const std::optional<std::uint64_t>& count) {
  return count ? std::to_string(*count) : "missing";
}

DoctorCheck CheckEnabled(const probes::HugePages& pages, Bytes item) {
  if (pages.enabled.empty())
    return NotTold("huge pages", "thp_enabled", kEnabled, "this kernel has no transparent huge pages");
  DoctorCheck check{.state = State::kGood,
                    .subject = "huge pages",
                    .found = pages.enabled,
                    .remedy = "",
                    .kind = "thp_enabled",
                    .evidence = {{kEnabled, pages.enabled},
                                 {"/proc/vmstat: thp_fault_alloc, thp_fault_fallback",
                                  CountText(pages.given) + ", " + CountText(pages.fallen_back)}}};
  if (pages.enabled != "never") return check;
  if (item != Bytes{0} && item < kBigItem) {
    check.found += fmt::format(": items of at most {} gain little from them", FormatBytes(item));
    return check;
  }
  check.state = State::kNote;
  check.found += item == Bytes{0}
                     ? ": large batches are put together from small pages"
                     : fmt::format(": batches of {} are put together from small pages", FormatBytes(item));
  check.remedy = EchoInto("madvise", kEnabled);
  check.costs =
      std::string(kUntilBoot) + "; programs that ask for huge pages get them, and round up to 2 MiB";
  return check;
}

DoctorCheck CheckDefrag(const probes::HugePages& pages) {
  if (pages.defrag.empty())
    return NotTold("defrag", "thp_defrag", kDefrag, "this kernel has no transparent huge pages");
  DoctorCheck check{
      .state = State::kGood,
      .subject = "defrag",
      .found = pages.defrag,
      .remedy = "",
      .kind = "thp_defrag",
      .evidence = {{kDefrag, pages.defrag}, {"/proc/vmstat: compact_stall", CountText(pages.stalls)}}};
  if (pages.defrag != "always" || pages.enabled == "never" || pages.stalls == 0) return check;
  check.state = State::kNote;
  check.found += pages.stalls ? fmt::format(
                                    ": {} times since the machine's start a thread has put memory together "
                                    "before it went on",
                                    *pages.stalls)
                              : ": threads may have to put memory together; how often they did is not told";
  check.remedy = EchoInto("defer+madvise", kDefrag);
  check.costs = std::string(kUntilBoot) +
                "; huge pages come later, from a thread of the kernel, unless a program asks for them";
  return check;
}

DoctorCheck CheckPools(const probes::HugePages& pages) {
  const char* folder = "/sys/kernel/mm/hugepages";
  if (pages.pools.empty())
    return NotTold("hugetlb", "hugetlb", std::string(folder) + "/hugepages-*",
                   "this kernel has no pools of huge pages");
  const Bytes unused = probes::UnusedHugePages(pages);
  DoctorCheck check{.state = State::kGood,
                    .subject = "hugetlb",
                    .found = fmt::format("{} set aside and unused", FormatBytes(unused)),
                    .remedy = "",
                    .kind = "hugetlb",
                    .evidence = {}};
  std::string commands;
  for (const probes::HugePool& pool : pages.pools) {
    const std::string of = fmt::format("{}/hugepages-{}kB", folder, pool.page.count / 1024);
    check.evidence.push_back({of, fmt::format("nr_hugepages {}, free_hugepages {}, resv_hugepages {}",
                                              pool.pages, pool.free, pool.reserved)});
    if (pool.free <= pool.reserved) continue;
    commands += (commands.empty() ? "" : "; ") +
                EchoInto(std::to_string(pool.pages - pool.free + pool.reserved), of + "/nr_hugepages");
  }
  if (unused < kMuchAside) return check;
  check.state = State::kNote;
  check.found += ": memory that neither programs nor cached files can have";
  check.remedy = commands;
  check.costs = std::string(kUntilBoot) +
                "; programs that ask for such pages by name no longer find any (databases, DPDK)";
  return check;
}

std::vector<exporters::DoctorEvidence> SwapEvidence(const probes::SwapUse& swap) {
  std::vector<exporters::DoctorEvidence> evidence;
  evidence.reserve(swap.areas.size() + 3);
  for (const probes::SwapArea& area : swap.areas)
    evidence.push_back({"/proc/swaps", fmt::format("{}: {} of {} used", area.name, FormatBytes(area.used),
                                                   FormatBytes(area.size))});
  if (swap.areas.empty()) evidence.push_back({"/proc/swaps", "no areas"});
  evidence.push_back({kSwappiness, swap.swappiness ? std::to_string(*swap.swappiness) : "missing"});
  evidence.push_back(
      {"/sys/module/zswap/parameters/enabled", swap.zswap ? (*swap.zswap ? "Y" : "N") : "missing"});
  return evidence;
}

Bytes UsedOf(const probes::SwapUse& swap) {
  Bytes used{0};
  for (const probes::SwapArea& area : swap.areas) used = Sum(used, area.used);
  return used;
}

std::optional<Bytes> SwappedOf(const MeasuredRun& run) {
  std::optional<Bytes> sum;
  for (const MeasuredProcess& process : run.processes) {
    if (process.toll.swapped) sum = Sum(sum.value_or(Bytes{0}), *process.toll.swapped);
  }
  return sum;
}

DoctorCheck CheckRunSwap(const MeasuredRun& run) {
  const auto swapped = SwappedOf(run);
  const std::string file = "/proc/PID/status: VmSwap";
  if (!swapped) return NotTold("swap", "run_swap", file, NameOf(run) + " has no such line");
  DoctorCheck check{
      .state = State::kGood,
      .subject = "swap",
      .found = fmt::format("{} of {} moved out", FormatBytes(*swapped), NameOf(run)),
      .remedy = "",
      .kind = "run_swap",
      .evidence = {{file, fmt::format("{} in {} processes", FormatBytes(*swapped), run.processes.size())}}};
  if (*swapped < kLeastSwapped) return check;
  check.state = State::kNote;
  check.found += ": what it touches next of that waits for a disk";
  check.remedy = "sudo swapoff -a && sudo swapon -a";
  check.costs =
      "root; reads all of it back, fails where memory does not suffice; holds until memory is short again";
  return check;
}

DoctorCheck CheckSwappiness(int swappiness, bool runs_swapped) {
  DoctorCheck check{.state = State::kGood,
                    .subject = "swappiness",
                    .found = std::to_string(swappiness),
                    .remedy = "",
                    .kind = "swappiness",
                    .evidence = {{kSwappiness, std::to_string(swappiness)}}};
  if (swappiness <= kReadySwap && !(runs_swapped && swappiness == kReadySwap)) return check;
  check.state = State::kNote;
  check.found += ": memory of programs is moved out while cached files could go";
  check.remedy = EchoInto("10", kSwappiness);
  check.costs = std::string(kUntilBoot) + "; fewer files stay cached when memory is short";
  return check;
}

}  // namespace

std::vector<DoctorCheck> HugePageChecks(const probes::HugePages& pages, Bytes item) {
  return {CheckEnabled(pages, item), CheckDefrag(pages), CheckPools(pages)};
}

std::vector<DoctorCheck> SwapChecks(const probes::SwapUse& swap, const std::vector<MeasuredRun>& runs) {
  if (!swap.told) return {NotTold("swap", "swap", "/proc/swaps", "it cannot be read")};
  std::vector<DoctorCheck> checks{{.state = State::kGood,
                                   .subject = "swap",
                                   .found = swap.areas.empty()
                                                ? "none: nothing can be moved out"
                                                : fmt::format("{} used", FormatBytes(UsedOf(swap))),
                                   .remedy = "",
                                   .kind = "swap",
                                   .evidence = SwapEvidence(swap)}};
  if (swap.areas.empty()) return checks;
  bool runs_swapped = false;
  for (const MeasuredRun& run : runs) {
    checks.push_back(CheckRunSwap(run));
    runs_swapped = runs_swapped || SwappedOf(run).value_or(Bytes{0}) >= kLeastSwapped;
  }
  if (swap.swappiness) checks.push_back(CheckSwappiness(*swap.swappiness, runs_swapped));
  return checks;
}

Bytes LargestItem(const std::vector<MeasuredPipeline>& pipelines) {
  Bytes largest{0};
  for (const MeasuredPipeline& pipeline : pipelines) {
    for (const OpReading& op : pipeline.seen.ops) {
      if (op.items > 0)
        largest = std::max(largest, Bytes{op.bytes.count / static_cast<std::int64_t>(op.items)});
    }
  }
  return largest;
}

}  // namespace sluice::app

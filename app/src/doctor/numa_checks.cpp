#include "doctor/numa_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "sluice/base/text.h"

namespace sluice::app {
namespace {

using State = DoctorCheck::State;

constexpr Nanos kEnoughTime = std::chrono::seconds(1);  // counters of each CPU are added up about so often
constexpr std::uint64_t kEnoughPages = 25'000;          // 100 MB of small ones
constexpr double kMuchRemote = 0.1;
constexpr double kMuchAstray = 0.2;
constexpr Bytes kLeastAstray = 64_MiB;  // shared libraries lie wherever they were read first
constexpr const char* kBalancing = "/proc/sys/kernel/numa_balancing";
constexpr const char* kReclaim = "/proc/sys/vm/zone_reclaim_mode";
constexpr const char* kByNode = "numactl --cpunodebind=NODE --membind=NODE COMMAND";

std::uint64_t Pages(const std::vector<probes::NodeCounts>& counts) {
  std::uint64_t sum = 0;
  for (const probes::NodeCounts& node : counts) sum += node.local + node.other;
  return sum;
}

DoctorCheck CheckRemote(const NumaLook& look) {
  std::uint64_t other = 0;
  DoctorCheck check{.state = State::kGood,
                    .subject = "NUMA",
                    .found = "",
                    .remedy = "",
                    .kind = "numa_remote",
                    .evidence = {}};
  for (const probes::NodeCounts& node : look.counts) {
    other += node.other;
    check.evidence.push_back(
        {fmt::format("/sys/devices/system/node/node{}/numastat", node.node),
         fmt::format("local_node {}, other_node {}, numa_miss {}", node.local, node.other, node.miss)});
  }
  const Fraction share = Share(static_cast<double>(other), static_cast<double>(Pages(look.counts)));
  check.found =
      fmt::format("{} of the pages given {} were another node's", FormatPercent(share),
                  look.over ? "in the last " + FormatDuration(*look.over) : "since the machine's start");
  if (Pages(look.counts) < kEnoughPages) {
    check.state = State::kNote;
    check.found += ", too few pages to say more";
    return check;
  }
  if (share.value < kMuchRemote) return check;
  check.state = State::kNote;
  check.remedy = fmt::format("{}, with a NODE for each rank", kByNode);
  check.costs =
      "no rights, package numactl; a new start; a rank that outgrows its node is killed (--preferred=NODE "
      "spills)";
  return check;
}

// Nodes where a run's first thread may run.
std::vector<std::size_t> NodesOf(const Topology& topology, const MeasuredRun& run) {
  std::vector<std::size_t> nodes;
  for (const std::size_t home : HomeNodes(topology)) {
    if (run.places.front().threads.front().may_use.Meets(topology.nodes[home].cpus)) nodes.push_back(home);
  }
  return nodes;
}

std::string MaskOf(const MeasuredRun& run) {
  return CpuListText(run.places.front().threads.front().may_use);
}

DoctorCheck CheckUnbound(const Topology& topology, const std::vector<MeasuredRun>& runs) {
  const std::size_t homes = HomeNodes(topology).size();
  DoctorCheck check{.state = State::kGood,
                    .subject = "ranks",
                    .found = "",
                    .remedy = "",
                    .kind = "unbound_ranks",
                    .evidence = {}};
  std::size_t unbound = 0;
  for (const MeasuredRun& run : runs) {
    if (NodesOf(topology, run).size() < homes) continue;
    ++unbound;
    check.evidence.push_back({fmt::format("/proc/{}/status: Cpus_allowed_list", run.pid), MaskOf(run)});
  }
  check.found =
      fmt::format("{} of {} measured runs may use the CPUs of all {} nodes", unbound, runs.size(), homes);
  if (unbound < 2) return check;
  check.state = State::kNote;
  check.found += ": their threads wander away from their memory";
  check.remedy = fmt::format(
      "torchrun --no-python ... sh -c 'exec numactl --cpunodebind=$((LOCAL_RANK % {0})) "
      "--membind=$((LOCAL_RANK % {0})) python3 train.py'",
      homes);
  check.costs =
      "no rights, package numactl; a new start; a rank that outgrows its node is killed (--preferred=NODE "
      "spills)";
  return check;
}

DoctorCheck CheckPages(const Topology& topology, const MeasuredRun& run) {
  const std::string file = fmt::format("/proc/{}/numa_maps", run.pid);
  if (!run.pages)
    return NotTold("pages", "numa_pages", file, NameOf(run) + ": another user's, or a kernel without it");
  Bytes all{0}, astray{0};
  std::vector<std::string> shares;
  const std::vector<std::size_t> nodes = NodesOf(topology, run);
  const auto number = [&](std::size_t home) { return topology.nodes[home].number; };
  for (const auto& [node, bytes] : *run.pages) {
    all = Sum(all, bytes);
    shares.push_back(fmt::format("node {} {}", node, FormatBytes(bytes)));
    if (std::ranges::find(nodes, node, number) != nodes.end()) continue;
    astray = Sum(astray, bytes);
  }
  const Fraction share = Share(static_cast<double>(astray.count), static_cast<double>(all.count));
  DoctorCheck check{.state = State::kGood,
                    .subject = "pages",
                    .found = fmt::format("{}: {}", NameOf(run), fmt::join(shares, ", ")),
                    .remedy = "",
                    .kind = "numa_pages",
                    .evidence = {{file, fmt::format("{}", fmt::join(shares, ", "))}}};
  if (nodes.size() != 1 || share.value < kMuchAstray || astray < kLeastAstray) return check;
  check.state = State::kNote;
  check.found += fmt::format(": {} lie where it may not run", FormatPercent(share));
  check.evidence.push_back({fmt::format("/proc/{}/status: Cpus_allowed_list", run.pid), MaskOf(run)});
  check.remedy =
      fmt::format("sluice place {} {} --move-pages", run.pid, topology.nodes[nodes.front()].number);
  check.costs = "the rights of the run's user; its threads wait while pages move";
  return check;
}

bool AnyBound(const Topology& topology, const std::vector<MeasuredRun>& runs) {
  return std::ranges::any_of(runs,
                             [&](const MeasuredRun& run) { return NodesOf(topology, run).size() == 1; });
}

DoctorCheck CheckBalancing(const NumaLook& look, bool any_bound) {
  if (!look.settings.balancing)
    return NotTold("balancing", "numa_balancing", kBalancing, "this kernel moves no pages by itself");
  const bool on = *look.settings.balancing != 0;
  DoctorCheck check{.state = State::kGood,
                    .subject = "balancing",
                    .found = on ? "on: pages follow the threads that use them"
                                : "off: pages stay where they were first used",
                    .remedy = "",
                    .kind = "numa_balancing",
                    .evidence = {{kBalancing, std::to_string(*look.settings.balancing)}}};
  if (!on || !any_bound) return check;
  check.state = State::kNote;
  check.found =
      "on, and runs are bound to their nodes: it takes their pages away to see who uses them, for nothing";
  check.remedy = EchoInto("0", kBalancing);
  check.costs = std::string(kUntilBoot) + "; runs that are not bound lose what it does for them";
  return check;
}

DoctorCheck CheckReclaim(const NumaLook& look) {
  if (!look.settings.zone_reclaim)
    return NotTold("zone reclaim", "zone_reclaim", kReclaim, "this kernel has no such switch");
  DoctorCheck check{.state = State::kGood,
                    .subject = "zone reclaim",
                    .found = "off",
                    .remedy = "",
                    .kind = "zone_reclaim",
                    .evidence = {{kReclaim, std::to_string(*look.settings.zone_reclaim)}}};
  if (*look.settings.zone_reclaim == 0) return check;
  check.state = State::kNote;
  check.found = fmt::format("{}: a node that is full drops cached files while others have free memory",
                            *look.settings.zone_reclaim);
  check.remedy = EchoInto("0", kReclaim);
  check.costs = std::string(kUntilBoot) + "; more memory may come from other nodes";
  return check;
}

}  // namespace

NumaLook ChooseCounts(const std::vector<probes::NodeCounts>& before,
                      const std::vector<probes::NodeCounts>& after, Nanos passed) {
  const auto between = probes::CountsBetween(before, after);
  if (passed >= kEnoughTime && Pages(between) >= kEnoughPages) return {between, passed};
  return {after, std::nullopt};
}

std::vector<DoctorCheck> NumaChecks(const NumaLook& look, const Topology& topology,
                                    const std::vector<MeasuredRun>& runs) {
  const std::size_t homes = HomeNodes(topology).size();
  if (homes == 1) {
    return {{.state = State::kGood,
             .subject = "NUMA",
             .found = "1 node: no memory is another node's",
             .remedy = "",
             .kind = "numa_remote",
             .evidence = {{"/sys/devices/system/node", "1 node with CPUs"}}}};
  }
  std::vector<DoctorCheck> checks;
  if (look.counts.empty() || homes == 0)
    checks.push_back(
        NotTold("NUMA", "numa_remote", "/sys/devices/system/node/node*/numastat", "no counts of nodes"));
  else
    checks.push_back(CheckRemote(look));
  if (homes == 0) return checks;
  if (runs.size() > 1) checks.push_back(CheckUnbound(topology, runs));
  for (const MeasuredRun& run : runs) checks.push_back(CheckPages(topology, run));
  checks.push_back(CheckBalancing(look, AnyBound(topology, runs)));
  checks.push_back(CheckReclaim(look));
  return checks;
}

}  // namespace sluice::app

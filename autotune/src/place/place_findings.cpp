#include "sluice/autotune/place_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sluice::autotune {
namespace {

using Kind = PlaceFinding::Kind;

constexpr std::int64_t kHardlyRan = 20;  // part of what the busiest one ran

std::string Cpus(const CpuSet& cpus) {
  return fmt::format("CPU{} {}", cpus.Count() == 1 ? "" : "s", CpuListText(cpus));
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

struct Worker {
  int pid = 0;
  const ThreadPlace* thread = nullptr;
};

std::vector<Worker> WorkersOf(const Family& family) {
  std::vector<Worker> workers;
  if (family.size() > 1) {
    for (std::size_t i = 1; i < family.size(); ++i)
      workers.push_back({family[i].pid, &family[i].threads.front()});
  } else {
    for (const ThreadPlace& thread : family.front().threads) workers.push_back({thread.tid, &thread});
  }
  Nanos most{0};
  for (const Worker& worker : workers) most = std::max(most, worker.thread->on_cpu);
  std::erase_if(workers, [&](const Worker& worker) { return worker.thread->on_cpu < most / kHardlyRan; });
  return workers;
}

CpuSet MasksOf(const std::vector<Worker>& workers) {
  CpuSet cpus;
  for (const Worker& worker : workers) cpus = cpus | worker.thread->may_use;
  return cpus;
}

CpuSet AllowedTo(const Topology& topology, const ProcessPlace& process) {
  return process.allowed.empty() ? topology.allowed : process.allowed & topology.cpus;
}

std::string NameOf(const Family& family) {
  return fmt::format("{} ({})", family.front().name, family.front().pid);
}

// The variables are those that the processes were started with.
std::string Unpin(const Family& family, const std::vector<Worker>& workers, const CpuSet& allowed) {
  std::string pids;
  for (const Worker& worker : workers) pids += fmt::format(" {}", worker.pid);
  const std::string now =
      fmt::format("now: for p in{}; do taskset -cp {} $p; done", pids, CpuListText(allowed));
  for (const ProcessPlace& process : family) {
    if (!process.pinned_by.empty())
      return fmt::format("start it without {}, which pins what loads OpenMP and all that it forks; {}",
                         Joined(process.pinned_by), now);
  }
  return "give it more CPUs where it is started (taskset, numactl, the launcher's binding); " + now;
}

std::optional<PlaceFinding> FindCrowd(const Topology& topology, const Family& family) {
  const std::vector<Worker> workers = WorkersOf(family);
  const CpuSet allowed = AllowedTo(topology, family.front());
  const CpuSet masks = MasksOf(workers) & allowed;
  const auto count = static_cast<int>(workers.size());
  if (count < 2 || masks.Count() >= std::min(count, allowed.Count())) return std::nullopt;
  return PlaceFinding{Kind::kCrowded,
                      fmt::format("{}: {} workers may only use {}, of {} that are allowed", NameOf(family),
                                  count, Cpus(masks), allowed.Count()),
                      Unpin(family, workers, allowed)};
}

// The home that holds all of these CPUs.
std::optional<std::size_t> NodeOf(const Topology& topology, const CpuSet& cpus) {
  for (const std::size_t home : HomeNodes(topology)) {
    if (!cpus.empty() && cpus.Within(topology.nodes[home].cpus)) return home;
  }
  return std::nullopt;
}

std::optional<PlaceFinding> FindOneNode(const Topology& topology, const std::vector<Family>& families) {
  if (families.size() < 2) return std::nullopt;
  std::optional<std::size_t> all;
  CpuSet allowed;
  for (const Family& family : families) {
    const auto node = NodeOf(topology, MasksOf(WorkersOf(family)));
    if (!node || (all && all != node)) return std::nullopt;
    all = node;
    allowed = allowed | AllowedTo(topology, family.front());
  }
  if (!all) return std::nullopt;
  const NumaNode& node = topology.nodes[*all];
  if (allowed.Within(node.cpus)) return std::nullopt;
  return PlaceFinding{
      Kind::kOneNode,
      fmt::format("all {} runs may only use node {}, and {} of other nodes have none", families.size(),
                  node.number, Cpus(allowed - node.cpus)),
      "a node for each rank: numactl --cpunodebind=N --membind=N before its command, or torchrun "
      "--numa-binding=node"};
}

std::optional<PlaceFinding> FindDoubledCores(const Topology& topology, const std::vector<Family>& families) {
  CpuSet doubled;
  std::map<const Core*, CpuSet> masks;
  for (const Family& family : families) {
    for (const Worker& worker : WorkersOf(family)) {
      const CpuSet& mask = worker.thread->may_use;
      const auto core =
          std::ranges::find_if(topology.cores, [&](const Core& each) { return mask.Within(each.cpus); });
      if (core == topology.cores.end()) return std::nullopt;  // the kernel can move this one away
      masks[&*core] = masks[&*core] | mask;
    }
  }
  int free = 0;
  for (const Core& core : topology.cores) {
    const auto found = masks.find(&core);
    if (found == masks.end()) {
      free += core.cpus.Meets(topology.allowed);
    } else if (found->second.Count() > 1) {
      doubled = doubled | found->second;
    }
  }
  if (doubled.empty() || free == 0) return std::nullopt;
  return PlaceFinding{
      Kind::kDoubledCores,
      fmt::format("workers are pinned to both threads of the same cores ({}), while {} core{} "
                  "have none",
                  Cpus(doubled), free, free == 1 ? "" : "s"),
      "pin to one CPU of each core (OMP_PLACES=cores), or do not pin (OMP_PROC_BIND=false)"};
}

}  // namespace

std::vector<PlaceFinding> FindBeforeStart(const Topology& topology, const ProcessPlace& shell) {
  std::vector<PlaceFinding> findings;
  const CpuSet allowed = AllowedTo(topology, shell);
  const CpuSet& mask = shell.threads.front().may_use;
  if (!allowed.Within(mask)) {
    findings.push_back({Kind::kNarrowStart,
                        fmt::format("what is started here may only use {}, of {} that are allowed",
                                    Cpus(mask & allowed), allowed.Count()),
                        fmt::format("taskset -cp {} $$, or start from another shell", CpuListText(allowed))});
  }
  if (!shell.pinned_by.empty()) {
    findings.push_back(
        {Kind::kPinning,
         fmt::format(
             "{} is set: it pins what loads OpenMP, and workers that are forked from there share its core",
             Joined(shell.pinned_by)),
         "unset it for runs with worker processes"});
  }
  return findings;
}

std::vector<PlaceFinding> FindWrongMasks(const Topology& topology, const std::vector<Family>& families) {
  std::vector<PlaceFinding> findings;
  for (const Family& family : families) {
    if (auto crowd = FindCrowd(topology, family)) findings.push_back(std::move(*crowd));
  }
  if (auto one = FindOneNode(topology, families)) findings.push_back(std::move(*one));
  if (auto doubled = FindDoubledCores(topology, families)) findings.push_back(std::move(*doubled));
  return findings;
}

}  // namespace sluice::autotune

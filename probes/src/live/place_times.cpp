#include "live/place_times.h"

#include <fmt/format.h>

#include "sluice/base/placement.h"

namespace sluice::probes {

const CpuSet& PlaceTimes::CpusOf(int node) {
  const auto known = nodes_.find(node);
  if (known != nodes_.end()) return known->second;
  const auto text = ReadSmallFile(fmt::format("{}/sys/devices/system/node/node{}/cpulist", root_, node));
  return nodes_[node] = text ? ParseCpuList(*text).value_or(CpuSet()) : CpuSet();
}

void PlaceTimes::Look(int pid, std::span<const WorkerThread> threads,
                      std::span<const std::optional<SchedStat>> sched, Snapshot& now) {
  for (const Knob& knob : now.knobs) {
    if (knob.id.kind != KnobKind::kPlacement) continue;
    auto& place = now.ops[knob.id.target].place;
    if (!place) continue;
    Op& op = ops_[knob.id.target];
    if (op.placement != knob.value || op.generation != knob.generation) {
      op = {.placement = knob.value, .generation = knob.generation, .home = {}, .seen = {}};
      for (const int node : NodesOf(PlacementOf(knob.value))) op.home = op.home | CpusOf(node);
    }
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const auto& times = sched[i];
      if (Index(threads[i].op) != knob.id.target || !times) continue;
      const auto [seen, first] = op.seen.try_emplace(threads[i].tid, times->on_cpu);
      const Nanos spent = times->on_cpu - seen->second;
      seen->second = times->on_cpu;
      if (first || spent.count() <= 0) continue;
      const int process = threads[i].pid > 0 ? threads[i].pid : pid;
      const auto stat = ReadSmallFile(fmt::format("{}/proc/{}/task/{}/stat", root_, process, threads[i].tid));
      const int cpu = stat ? ParseLastCpu(*stat) : -1;
      if (cpu >= 0) (op.home.Has(cpu) ? op.at_home : op.elsewhere) += spent;
    }
    place->at_home = op.at_home;
    place->elsewhere = op.elsewhere;
  }
}

}  // namespace sluice::probes

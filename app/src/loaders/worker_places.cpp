#include "loaders/worker_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "result/results.h"
#include "sluice/probes/binding.h"
#include "sluice/probes/process_binding.h"

namespace sluice::app {

WorkerPlaces::WorkerPlaces(std::vector<NumaNode> nodes) : nodes_(std::move(nodes)) {
  const auto fits = [](const NumaNode& node) { return node.number >= 0 && node.number < Placement::kNodes; };
  if (nodes_.size() < 2 || !std::ranges::all_of(nodes_, fits)) nodes_.clear();
  for (const NumaNode& node : nodes_) anywhere_ = anywhere_ | node.cpus;
}

std::optional<Knob> WorkerPlaces::KnobOf(const Snapshot& seen) const {
  const auto workers =
      std::ranges::find(seen.knobs, KnobKind::kWorkers, [](const Knob& k) { return k.id.kind; });
  if (nodes_.empty() || refused_ || workers == seen.knobs.end() ||
      workers->id.target >= seen.graph->ops.size())
    return std::nullopt;
  Placement most{0, MemoryPolicy::kLocal};
  for (const NumaNode& node : nodes_) most.nodes |= OnNode(node.number).nodes;
  Knob knob;
  knob.id = {KnobKind::kPlacement, workers->id.target};
  knob.name = seen.graph->ops[workers->id.target].name + ".placement";
  knob.value = value_;
  knob.requested = wanted_;
  knob.min = 0;
  knob.max = KnobValue(most);
  knob.holder = holder_;
  knob.generation = generation_;
  return knob;
}

bool WorkerPlaces::SetHolder(Holder holder) {
  if (nodes_.empty()) return false;
  holder_ = holder;
  return true;
}

CpuSet WorkerPlaces::CpusOf(const Placement& placement) const {
  if (placement.nodes == 0) return anywhere_;
  CpuSet cpus;
  for (const NumaNode& node : nodes_) {
    if ((placement.nodes >> node.number & 1) != 0) cpus = cpus | node.cpus;
  }
  return cpus;
}

void WorkerPlaces::GiveUp(const std::string& why) {
  Warn(fmt::format("workers are not placed on {}: {}", PlacementText(PlacementOf(wanted_)), why));
  refused_ = true;
  wanted_ = value_ = 0;
}

void WorkerPlaces::Bind(int worker) {
  const Placement placement = PlacementOf(value_);
  const probes::ProcessBinding made = probes::BindProcess(worker, CpusOf(placement));
  if (made.threads == 0) return;  // it has ended
  bound_.insert(worker);
  if (made.bound < made.threads)
    return GiveUp(made.refusal.empty() ? "the kernel left it elsewhere" : made.refusal);
  const std::vector<int> home = NodesOf(placement);
  if (home.size() != 1 || placement.memory == MemoryPolicy::kLocal) return;
  Placement others;
  for (const NumaNode& node : nodes_) others.nodes |= OnNode(node.number).nodes;
  others.nodes &= ~placement.nodes;
  // Pages that stay where they are cost some time, and nothing else.
  static_cast<void>(probes::MovePages(worker, others, home.front()));
}

void WorkerPlaces::Keep(const std::vector<int>& workers) {
  if (wanted_ != value_) {
    value_ = KnobValue(PlacementOf(wanted_));
    if (CpusOf(PlacementOf(value_)).empty()) return GiveUp("this machine has no such node");
    wanted_ = value_;
    ++generation_;
    bound_.clear();
    for (const int worker : workers) Bind(worker);
    return;
  }
  std::erase_if(bound_, [&](int worker) { return std::ranges::count(workers, worker) == 0; });
  if (value_ == 0) return;
  for (const int worker : workers) {
    if (!bound_.contains(worker)) Bind(worker);
  }
}

}  // namespace sluice::app

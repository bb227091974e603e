#include "op_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace sluice::runtime {
namespace {

constexpr std::chrono::seconds kCheck{1};

}  // namespace

bool CanBePlaced(const std::vector<NumaNode>& nodes) {
  return nodes.size() > 1 && std::ranges::all_of(nodes, [](const NumaNode& node) {
           return node.number >= 0 && node.number < Placement::kNodes;
         });
}

void LiveByItsCpus(OpSpec& op, const std::vector<NumaNode>& nodes) {
  if (op.cpus.empty() || op.placement.nodes != 0 || !CanBePlaced(nodes)) return;
  for (const NumaNode& node : nodes) {
    if (node.cpus.Meets(op.cpus)) op.placement.nodes |= OnNode(node.number).nodes;
  }
}

OpPlaces::OpPlaces(const PipelineDescription& description, const std::vector<NumaNode>& nodes,
                   probes::SegmentWriter& segment, BufferPool& pool, MemoryPlan& memory,
                   const std::vector<std::unique_ptr<Stage>>& stages)
    : description_(description),
      nodes_(nodes),
      segment_(segment),
      pool_(pool),
      memory_(memory),
      stages_(stages),
      places_(description.ops.size()),
      own_cpus_(description.ops.size()) {}

Result<void> OpPlaces::Place(std::size_t op, const Placement& placement) {
  CpuSet cpus;
  for (const int number : NodesOf(placement)) {
    const auto node = std::ranges::find(nodes_, number, &NumaNode::number);
    if (node == nodes_.end()) return Fail(fmt::format("this machine has no node {}", number));
    cpus = cpus | node->cpus;
  }
  const CpuSet& own = own_cpus_[op];
  if (!own.empty()) cpus = cpus.empty() ? own : cpus & own;
  if (!own.empty() && cpus.empty())
    return Fail(fmt::format("none of its CPUs ({}) is there", CpuListText(own)));
  if (auto bound = stages_[op]->Bind(cpus); !bound) return bound;
  memory_.Place(op, placement);
  places_[op] = placement;
  TellNeighbours();
  return {};
}

std::int64_t OpPlaces::Apply(std::size_t op, std::int64_t value) {
  const Placement wanted = PlacementOf(value);
  const auto placed = Place(op, wanted);
  if (placed) return KnobValue(wanted);
  segment_.LogEvent(MonoNow().count(), fmt::format("{} is not placed on {}: {}; it stays where it was ({})",
                                                   description_.ops[op].name, PlacementText(wanted),
                                                   placed.error().message, PlacementText(places_[op])));
  if (!Place(op, places_[op])) static_cast<void>(Place(op, {}));  // some of its threads may have been bound
  return KnobValue(places_[op]);
}

bool OpPlaces::UseOwnCpus(std::size_t op) {
  own_cpus_[op] = description_.ops[op].cpus;
  const auto bound = Place(op, {});
  if (bound) return true;
  segment_.LogEvent(MonoNow().count(),
                    fmt::format("{} does not run on CPUs {}: {}; it runs anywhere", description_.ops[op].name,
                                CpuListText(own_cpus_[op]), bound.error().message));
  own_cpus_[op] = {};
  static_cast<void>(Place(op, {}));
  return false;
}

void OpPlaces::Start() {
  const bool can = CanBePlaced(nodes_);
  for (std::size_t i = 0; i < description_.ops.size(); ++i) {
    const OpSpec& op = description_.ops[i];
    if (!op.cpus.empty() && !UseOwnCpus(i)) continue;
    if (op.placement.nodes == 0) continue;
    if (!can) {
      segment_.LogEvent(MonoNow().count(),
                        fmt::format("{} is not placed on {}: this machine has one NUMA node", op.name,
                                    PlacementText(op.placement)));
      continue;
    }
    probes::segment::KnobCell& cell = CellOf(i);
    cell.requested.store(KnobValue(op.placement), std::memory_order_relaxed);
    cell.applied.store(Apply(i, KnobValue(op.placement)), std::memory_order_relaxed);
    cell.requested.store(cell.applied.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

// A thread that helps a neighbour would work on its own node.
void OpPlaces::TellNeighbours() {
  const auto takers = TakersOf(description_);
  std::vector<bool> alone(stages_.size(), false);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const bool last = takers[i] == stages_.size();
    const bool same_nodes = (last ? 0 : places_[takers[i]].nodes) == places_[i].nodes;
    if (same_nodes && (last ? own_cpus_[i].empty() : own_cpus_[takers[i]] == own_cpus_[i])) continue;
    alone[i] = true;
    if (!last) alone[takers[i]] = true;
  }
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i]->SetAlone(alone[i]);
}

void OpPlaces::Keep(MonoTime now) {
  if (now - checked_ < kCheck) return;
  checked_ = now;
  bool placed = false;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    placed = placed || places_[i].nodes != 0;
    if (places_[i].nodes == 0 && own_cpus_[i].empty()) continue;
    if (const auto kept = stages_[i]->KeepBound(); !kept) LetGo(i, now, kept.error().message);
  }
  if (placed) LookAtPages(now);
}

void OpPlaces::LetGo(std::size_t op, MonoTime now, const std::string& why) {
  const CpuSet cpus = std::exchange(own_cpus_[op], {});
  segment_.LogEvent(
      now.count(), fmt::format("{} has left {}: {}; it runs anywhere", description_.ops[op].name,
                               cpus.empty() ? PlacementText(places_[op]) : "CPUs " + CpuListText(cpus), why));
  static_cast<void>(Place(op, {}));
  if (!CanBePlaced(nodes_)) return;
  probes::segment::KnobCell& cell = CellOf(op);
  cell.requested.store(0, std::memory_order_relaxed);
  cell.applied.store(0, std::memory_order_relaxed);
  probes::segment::Add(cell.generation, 1);
}

void OpPlaces::LookAtPages(MonoTime now) {
  if (const std::string refusal = pool_.TakeRefusal(); !refusal.empty())
    segment_.LogEvent(now.count(), refusal + "; it lies wherever it is touched first");
  const auto pages = pool_.LookAtPages(stages_.size());
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    probes::segment::KnobCell& cell = CellOf(i);
    const PlacedPages seen = pages && places_[i].nodes != 0 ? (*pages)[i] : PlacedPages{};
    cell.pages_at_home.store(static_cast<std::int64_t>(seen.at_home), std::memory_order_relaxed);
    cell.pages.store(static_cast<std::int64_t>(seen.seen), std::memory_order_release);
  }
}

// Behind those of workers and capacities.
probes::segment::KnobCell& OpPlaces::CellOf(std::size_t op) {
  return segment_.knobs()[2 * description_.ops.size() + op];
}

}  // namespace sluice::runtime

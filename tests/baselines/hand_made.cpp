#include "baselines/hand_made.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::baselines::testing {
namespace {

Knob MakeKnob(KnobKind kind, std::size_t i, const HandMadeOp& op) {
  const bool workers = kind == KnobKind::kWorkers;
  Knob knob;
  knob.id = {kind, static_cast<std::uint32_t>(i)};
  knob.name = op.name + (workers ? ".workers" : ".capacity");
  knob.value = knob.requested = workers ? op.workers : op.capacity;
  knob.max = workers ? op.most : 1024;
  knob.holder = op.pinned ? Holder::kUser : Holder::kAuto;
  return knob;
}

}  // namespace

HandMade::HandMade(std::vector<HandMadeOp> ops, double cores, Bytes memory) : ops_(std::move(ops)) {
  Graph graph;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const bool last = i + 1 == ops_.size();
    const HandMadeOp& op = ops_[i];
    graph.ops.push_back({op.name, i == 0 ? "source" : "map", op.most == 1, op.rows_per_item});
    graph.connectors.push_back({op.name + "->", OpId(i), last ? std::nullopt : std::optional(OpId(i + 1))});
    seen_.knobs.push_back(MakeKnob(KnobKind::kWorkers, i, op));
    seen_.knobs.push_back(MakeKnob(KnobKind::kCapacity, i, op));
    seen_.ops.emplace_back().on_cpu = Nanos(0);
    seen_.ops.back().workers = op.workers;
    seen_.connectors.emplace_back().capacity = static_cast<std::uint64_t>(op.capacity);
  }
  seen_.graph = std::make_shared<const Graph>(std::move(graph));
  seen_.budget = {cores, memory};
}

void HandMade::Pass(double seconds, const std::vector<Did>& did, Consumed consumed) {
  seen_.at += FromSeconds(seconds);
  for (std::size_t i = 0; i < did.size(); ++i) {
    OpReading& op = seen_.ops[i];
    op.items += did[i].items;
    op.busy += FromSeconds(did[i].busy);
    op.on_cpu = op.busy;
    op.bytes += Bytes{ops_[i].bytes} * static_cast<std::int64_t>(did[i].items);
    seen_.connectors[i].pushed += did[i].items;
    seen_.connectors[i].depth = did[i].depth;
  }
  seen_.consumer.items += consumed.items;
  seen_.consumer.busy += FromSeconds(consumed.busy);
}

std::string HandMade::Ask(autotune::Controller& controller) {
  last_ = controller.Decide(seen_);
  std::string text;
  for (const KnobChange& change : last_.changes) {
    const auto knob = std::ranges::find(seen_.knobs, change.knob, &Knob::id);
    text += fmt::format("{}{} {}->{}", text.empty() ? "" : ", ", knob->name, change.from, change.to);
    Apply(change);
  }
  return text;
}

void HandMade::Apply(const KnobChange& change) {
  Knob& knob = *std::ranges::find(seen_.knobs, change.knob, &Knob::id);
  knob.value = knob.requested = change.to;
  if (change.knob.kind == KnobKind::kWorkers) {
    seen_.ops[change.knob.target].workers = static_cast<int>(change.to);
  } else {
    seen_.connectors[change.knob.target].capacity = static_cast<std::uint64_t>(change.to);
  }
}

}  // namespace sluice::baselines::testing

#include "pipeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace sluice::baselines {
namespace {

// Ops whose number of outputs per input is not in the graph.
constexpr std::array<std::string_view, 9> kDataDecide = {"filter",     "repeat",   "take",  "skip",  "concat",
                                                         "interleave", "flat_map", "cache", "sample"};

bool DataDecide(const std::string& kind) {
  return std::ranges::find(kDataDecide, kind) != kDataDecide.end();
}

}  // namespace

KnobId WorkersOf(std::size_t op) {
  return {KnobKind::kWorkers, static_cast<std::uint32_t>(op)};
}

KnobId CapacityOf(std::size_t connector) {
  return {KnobKind::kCapacity, static_cast<std::uint32_t>(connector)};
}

const Knob* Find(const Snapshot& seen, KnobId id) {
  const auto found = std::ranges::find(seen.knobs, id, &Knob::id);
  return found == seen.knobs.end() ? nullptr : &*found;
}

bool Free(const Knob& knob) {
  return knob.holder == Holder::kAuto && knob.takes_effect != TakesEffect::kNextRun && knob.min < knob.max;
}

bool Free(const Snapshot& seen, KnobId id) {
  const Knob* knob = Find(seen, id);
  return knob != nullptr && Free(*knob);
}

bool Pending(const Knob& knob) {
  return Free(knob) && knob.requested != knob.value;
}

int Workers(const Snapshot& seen, std::size_t op) {
  const Knob* knob = Find(seen, WorkersOf(op));
  return std::max(1, knob != nullptr ? static_cast<int>(knob->value) : seen.ops[op].workers);
}

std::int64_t Capacity(const Snapshot& seen, std::size_t connector) {
  const Knob* knob = Find(seen, CapacityOf(connector));
  if (knob != nullptr) return std::max<std::int64_t>(1, knob->value);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(seen.connectors[connector].capacity));
}

std::vector<std::size_t> FreeOps(const Snapshot& seen) {
  std::vector<std::size_t> ops;
  for (std::size_t i = 0; i < seen.ops.size(); ++i) {
    if (Free(seen, WorkersOf(i))) ops.push_back(i);
  }
  return ops;
}

Bounds WorkerBounds(const Snapshot& seen, std::size_t op) {
  const Knob* knob = Find(seen, WorkersOf(op));
  const int present = Workers(seen, op);
  if (knob == nullptr || !Free(*knob)) return {present, present};
  return {static_cast<int>(std::max<std::int64_t>(1, knob->min)), static_cast<int>(knob->max)};
}

int WholeCores(const Snapshot& seen) {
  return std::max(1, static_cast<int>(std::floor(seen.budget.cores + 1e-9)));
}

std::vector<std::size_t> InputsOf(const Graph& graph, std::size_t op) {
  std::vector<std::size_t> inputs;
  for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
    if (graph.connectors[c].to == OpId(op)) inputs.push_back(c);
  }
  return inputs;
}

std::optional<std::size_t> OutputOf(const Graph& graph, std::size_t op) {
  for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
    if (graph.connectors[c].from == OpId(op)) return c;
  }
  return std::nullopt;
}

std::size_t FinalConnector(const Graph& graph) {
  for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
    if (!graph.connectors[c].to) return c;
  }
  return graph.connectors.size() - 1;
}

double ItemsPerOutput(const Snapshot& seen, std::size_t connector) {
  const ConnectorInfo& info = seen.graph->connectors[connector];
  if (!info.to) return 1;
  const OpInfo& from = seen.graph->ops[Index(info.from)];
  const OpInfo& to = seen.graph->ops[Index(*info.to)];
  if (!DataDecide(to.kind)) {
    return static_cast<double>(std::max(1U, to.rows_per_item)) / std::max(1U, from.rows_per_item);
  }
  const auto taken = static_cast<double>(seen.connectors[connector].popped);
  const auto made = static_cast<double>(seen.ops[Index(*info.to)].items);
  return taken > 0 && made > 0 ? taken / made : 1;
}

std::vector<double> Visits(const Snapshot& seen) {
  const Graph& graph = *seen.graph;
  std::vector<double> visits(graph.ops.size(), 0.0);
  for (std::size_t i = graph.ops.size(); i-- > 0;) {
    for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
      const ConnectorInfo& info = graph.connectors[c];
      if (info.from != OpId(i)) continue;
      visits[i] += info.to ? visits[Index(*info.to)] * ItemsPerOutput(seen, c) : 1.0;
    }
  }
  return visits;
}

}  // namespace sluice::baselines

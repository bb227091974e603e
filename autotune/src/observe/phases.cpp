#include "observe/phases.h"

#include <algorithm>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr std::size_t kMostPhases = 64;

std::vector<std::size_t> InputsOf(const Graph& graph, std::size_t op) {
  std::vector<std::size_t> inputs;
  for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
    const auto& to = graph.connectors[c].to;
    if (to && Index(*to) == op) inputs.push_back(c);
  }
  return inputs;
}

// From the consumer up: an op has work when something takes from it.
void Settle(const Graph& graph, Phase& phase) {
  for (std::size_t op = graph.ops.size(); op-- > 0;) {
    bool taken = false;
    for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
      const ConnectorInfo& connector = graph.connectors[c];
      if (connector.to && !phase.active[Index(*connector.to)]) phase.flowing[c] = false;
      if (Index(connector.from) == op) taken = taken || phase.flowing[c];
    }
    phase.active[op] = taken;
  }
}

}  // namespace

std::vector<Phase> PhasesOf(const Graph& graph) {
  Phase whole{std::vector<bool>(graph.ops.size(), true), std::vector<bool>(graph.connectors.size(), true)};
  for (std::size_t op = 0; op < graph.ops.size(); ++op) whole.active[op] = !graph.IsPart(op);
  std::vector<Phase> phases = {whole};
  for (std::size_t op = graph.ops.size(); op-- > 0;) {
    if (!On(Rule::kPhases) || graph.ops[op].kind != "concat") continue;
    std::vector<Phase> split;
    for (const Phase& phase : phases) {
      const auto inputs = InputsOf(graph, op);
      if (!phase.active[op]) split.push_back(phase);
      for (const std::size_t turn : phase.active[op] ? inputs : std::vector<std::size_t>()) {
        Phase part = phase;
        for (const std::size_t c : inputs) part.flowing[c] = c == turn;
        Settle(graph, part);
        split.push_back(std::move(part));
      }
    }
    if (split.size() > kMostPhases) return {whole};
    phases = std::move(split);
  }
  return phases;
}

std::optional<std::size_t> PhaseOf(const std::vector<Phase>& phases, const Interval& interval) {
  if (phases.size() == 1) return 0;
  const bool moved = std::ranges::any_of(interval.taken, [](double items) { return items > 0; });
  for (std::size_t p = 0; moved && p < phases.size(); ++p) {
    bool fits = true;
    for (std::size_t c = 0; c < interval.taken.size(); ++c) {
      fits = fits && (phases[p].flowing[c] || interval.taken[c] == 0);
    }
    if (fits) return p;
  }
  return std::nullopt;
}

}  // namespace sluice::autotune

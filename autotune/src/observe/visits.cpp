#include "observe/visits.h"

#include <algorithm>
#include <cmath>

#include "rule.h"
#include "sluice/base/check.h"

namespace sluice::autotune {
namespace {

// Rows held inside a worker blur the counted ratio; within this the graph's own ratio is the exact one.
constexpr double kBlur = 0.25;
constexpr double kEnoughItems = 10;

double Expected(const Graph& graph, const ConnectorInfo& connector, std::size_t to) {
  const double out = graph.ops[to].rows_per_item;
  return std::max(1.0, out) /
         std::max(1.0, static_cast<double>(graph.ops[Index(connector.from)].rows_per_item));
}

bool IsConcat(const Graph& graph, std::size_t op) {
  return graph.ops[op].kind == "concat";
}

// Items that the op behind the connector takes for one of its own.
double TakenPerItem(const Snapshot& seen, std::size_t c) {
  const ConnectorInfo& connector = seen.graph->connectors[c];
  SLUICE_CHECK(connector.to);
  const std::size_t to = Index(*connector.to);
  if (IsConcat(*seen.graph, to)) return 1;
  const double expected = Expected(*seen.graph, connector, to);
  const auto made = static_cast<double>(seen.ops[to].items);
  const auto taken = static_cast<double>(seen.connectors[c].popped);
  if (made < kEnoughItems || taken < kEnoughItems) return expected;
  const double counted = taken / made;
  return On(Rule::kBlur) && std::abs(counted - expected) <= kBlur * expected ? expected : counted;
}

}  // namespace

std::vector<double> Visits(const Snapshot& seen) {
  const Graph& graph = *seen.graph;
  std::vector<double> visits(graph.ops.size(), 0);
  for (std::size_t op = visits.size(); op-- > 0;) {
    for (std::size_t c = 0; c < graph.connectors.size(); ++c) {
      const ConnectorInfo& connector = graph.connectors[c];
      if (Index(connector.from) != op) continue;
      const double here = connector.to ? visits[Index(*connector.to)] * TakenPerItem(seen, c) : 1.0;
      visits[op] = std::max(visits[op], here);
    }
    if (visits[op] <= 0 && !graph.IsPart(op)) visits[op] = 1;
  }
  return visits;
}

std::size_t FinestOp(const Graph& graph, const std::vector<double>& visits) {
  std::vector<bool> always(visits.size(), false);
  std::size_t best = LastOp(graph);
  for (std::size_t op = visits.size(); op-- > 0;) {
    for (const ConnectorInfo& connector : graph.connectors) {
      if (Index(connector.from) != op) continue;
      if (!connector.to || (always[Index(*connector.to)] && !IsConcat(graph, Index(*connector.to))))
        always[op] = true;
    }
    if (always[op] && visits[op] > visits[best]) best = op;
  }
  return best;
}

std::size_t LastOp(const Graph& graph) {
  for (const ConnectorInfo& connector : graph.connectors) {
    if (!connector.to) return Index(connector.from);
  }
  return graph.ops.size() - 1;
}

}  // namespace sluice::autotune

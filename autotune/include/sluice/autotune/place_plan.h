// Which NUMA node each op should live on, so that least bytes cross between nodes and no node is overfull.
// Immutable functions; docs/placement.md has the model.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/graph.h"
#include "sluice/base/topology.h"
#include "sluice/base/units.h"

namespace sluice::autotune {

struct PlaceNeeds {
  std::vector<double> cores;  // by op: that it keeps busy
  std::vector<Rate> bytes;    // by connector: that flow over it
  // Index of Topology::devices: where the consumer's batches go; nullopt: anywhere, and their way is not
  // counted.
  std::optional<std::size_t> device;
  std::vector<double> taken;  // by index of Topology::nodes: cores that others use; empty: none
  // By op, the nodes that a user has put it on, by index: it stays there, whatever fits. None: it goes where
  // the plan says. Empty: no op is pinned.
  std::vector<std::vector<std::size_t>> pinned{};
};

struct NodeShare {
  std::size_t node = 0;  // index of Topology::nodes
  double cores = 0;
  friend bool operator==(const NodeShare&, const NodeShare&) = default;
};

struct PlacePlan {
  // By op, its nodes in ascending order; more than one where it fits no node by itself, or is pinned there.
  // Empty: nothing is bound.
  std::vector<std::vector<NodeShare>> homes;
  Rate cross_bytes;    // predicted between nodes
  Rate unbound_bytes;  // the same where every thread runs anywhere
  std::string because;
};

// REQUIRES as many `cores` as ops and `bytes` as connectors; ops in topological order.
[[nodiscard]] PlacePlan PlanPlaces(const Topology& topology, const Graph& graph, const PlaceNeeds& needs);

}  // namespace sluice::autotune

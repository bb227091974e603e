#include "propose/placing.h"

#include <algorithm>

#include "sluice/autotune/place_plan.h"
#include "sluice/base/placement.h"

namespace sluice::autotune {
namespace {

constexpr std::size_t kMostTries = 3;
constexpr double kEstimateError = 0.05;  // relative: ops that want so much more than a node has may fit it
constexpr double kHandedOver = 64;       // bytes, a cache line: of an item itself, whatever it refers to

// Nodes that an op was put on from outside; none: the plan may move it.
std::vector<std::size_t> PinnedNodes(const Topology& topology, const Planner& planner, std::size_t op) {
  if (!planner.MustStay(op)) return {};
  const Placement placed = PlacementOf(planner.present().placement[op]);
  std::vector<std::size_t> nodes;
  for (const std::size_t home : HomeNodes(topology)) {
    const bool there = (placed.nodes & OnNode(topology.nodes[home].number).nodes) != 0;
    if (placed.nodes == 0 || there) nodes.push_back(home);
  }
  return nodes;
}

PlaceNeeds NeedsOf(const Snapshot& seen, const Planner& planner, const PipelineEstimate& estimate,
                   double rate) {
  PlaceNeeds needs;
  for (const OpEstimate& op : estimate.ops)
    needs.cores.push_back((1 - kEstimateError) * op.cpu * op.visits * rate);
  for (const ConnectorInfo& connector : seen.graph->connectors) {
    const OpEstimate& from = estimate.ops[Index(connector.from)];
    needs.bytes.push_back({(from.bytes + kHandedOver) * from.visits * rate});
  }
  needs.device = seen.device;
  for (std::size_t op = 0; op < estimate.ops.size(); ++op)
    needs.pinned.push_back(PinnedNodes(*seen.topology, planner, op));
  return needs;
}

// One that takes in all nodes says nothing.
Placement HomeOf(const Topology& topology, const std::vector<NodeShare>& shares) {
  if (shares.size() == HomeNodes(topology).size()) return {};
  Placement home;
  for (const NodeShare& share : shares) home.nodes |= OnNode(topology.nodes[share.node].number).nodes;
  return home;
}

}  // namespace

std::optional<Placing::Proposal> Placing::Propose(const Snapshot& seen, const Planner& planner,
                                                  const PipelineEstimate& estimate, double measured) {
  if (proposed_.size() == kMostTries || seen.topology == nullptr || planner.present().placement.empty())
    return std::nullopt;
  const PlacePlan places =
      PlanPlaces(*seen.topology, *seen.graph, NeedsOf(seen, planner, estimate, measured));
  const bool worth = !places.homes.empty() && places.cross_bytes < places.unbound_bytes;
  Setting target = planner.present();
  for (std::size_t op = 0; op < target.placement.size(); ++op) {
    if (!planner.MustStay(op))
      target.placement[op] = worth ? KnobValue(HomeOf(*seen.topology, places.homes[op])) : 0;
  }
  if (std::ranges::count(proposed_, target.placement) > 0) return std::nullopt;
  std::vector<std::int64_t> wanted = target.placement;
  Proposal proposal{planner.Towards(std::move(target)), places.because};
  if (proposal.plan.changes.empty() || proposal.plan.makes_room) return std::nullopt;
  proposed_.push_back(std::move(wanted));
  return proposal;
}

}  // namespace sluice::autotune

#include "sluice/autotune/place_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "place/place_problem.h"
#include "sluice/base/check.h"
#include "sluice/base/text.h"

namespace sluice::autotune {
namespace {

using internal::PlaceProblem;

constexpr std::size_t kMostPieces = 128;
constexpr double kOneWorker = 1;  // core: what cannot be divided further

std::string RateWords(double bytes) {
  return FormatBytes(Bytes{std::llround(bytes)}) + "/s";
}

class Planner {
 public:
  Planner(const Topology& topology, const Graph& graph, const PlaceNeeds& needs)
      : topology_(topology), graph_(graph), needs_(needs), homes_(HomeNodes(topology)), cores_(needs.cores) {
    for (const std::size_t home : homes_) room_.push_back(RoomOf(home));
    free_ = room_;
    SettlePinned();
    wanted_ = std::accumulate(cores_.begin(), cores_.end(), 0.0);
    total_ = std::accumulate(free_.begin(), free_.end(), 0.0);
    if (wanted_ > total_ && wanted_ > 0) {
      for (double& cores : cores_) cores *= total_ / wanted_;
    }
    if (needs.device && *needs.device < topology.devices.size()) {
      const auto near = topology.devices[*needs.device].node;
      const auto home = near ? std::ranges::find(homes_, *near) : homes_.end();
      if (home != homes_.end()) device_ = static_cast<std::size_t>(home - homes_.begin());
    }
  }

  PlacePlan Plan() {
    PlacePlan plan;
    plan.unbound_bytes = plan.cross_bytes = Rate{Unbound()};
    if (homes_.size() < 2) {
      plan.because = "the machine has one NUMA node: there is nothing to place";
      return plan;
    }
    if (total_ <= 0 && wanted_ > 0) {
      plan.because = "no core is left on any node";
      return plan;
    }
    const double largest = std::max(*std::ranges::max_element(free_), kOneWorker);
    for (double most = largest;; most /= 2) {
      const PlaceProblem problem = Problem(most);
      const auto places = problem.pieces.size() <= kMostPieces ? FindPlaces(problem) : std::nullopt;
      if (places) return Bound(std::move(plan), problem, *places);
      if (most <= kOneWorker || problem.pieces.size() > kMostPieces) break;
    }
    plan.because = fmt::format("{:.1f} cores of work do not fit into the nodes op by op, so nothing is bound",
                               std::min(wanted_, total_));
    return plan;
  }

 private:
  [[nodiscard]] double RoomOf(std::size_t node) const {
    const double cpus = (topology_.nodes[node].cpus & topology_.allowed).Count();
    return std::max(cpus - (node < needs_.taken.size() ? needs_.taken[node] : 0), 0.0);
  }

  [[nodiscard]] bool Pinned(std::size_t op) const {
    return op < needs_.pinned.size() && !needs_.pinned[op].empty();
  }

  // A pinned op's cores are taken where it is, in proportion to the CPUs there.
  void SettlePinned() {
    for (std::size_t op = 0; op < cores_.size(); ++op) {
      spread_.emplace_back();
      if (!Pinned(op)) continue;
      std::vector<double> there = room_;
      for (std::size_t home = 0; home < homes_.size(); ++home) {
        if (std::ranges::count(needs_.pinned[op], homes_[home]) == 0) there[home] = 0;
      }
      spread_[op] = PartsOf(there);
      for (std::size_t home = 0; home < homes_.size(); ++home)
        free_[home] = std::max(free_[home] - cores_[op] * spread_[op][home], 0.0);
      cores_[op] = 0;
    }
    for (std::size_t op = 0; op < cores_.size(); ++op) {
      if (!Pinned(op)) spread_[op] = PartsOf(free_);
    }
  }

  [[nodiscard]] static std::vector<double> PartsOf(std::vector<double> room) {
    const double sum = std::accumulate(room.begin(), room.end(), 0.0);
    for (double& part : room) part = sum > 0 ? part / sum : 0;
    return room;
  }

  // What crosses where every thread that nobody has bound runs on any core that is free.
  [[nodiscard]] double Unbound() const {
    double crossing = 0;
    for (std::size_t i = 0; i < graph_.connectors.size(); ++i) {
      const std::vector<double>& from = spread_[Index(graph_.connectors[i].from)];
      const double bytes = needs_.bytes[i].per_second;
      if (const auto to = graph_.connectors[i].to) {
        const std::vector<double>& there = spread_[Index(*to)];
        crossing += bytes * (1 - std::inner_product(from.begin(), from.end(), there.begin(), 0.0));
      } else if (device_) {
        crossing += bytes * (1 - from[*device_]);
      }
    }
    return crossing;
  }

  // With no piece of more cores than `most`.
  [[nodiscard]] PlaceProblem Problem(double most) const {
    PlaceProblem problem;
    std::vector<std::vector<std::size_t>> pieces_of(graph_.ops.size());
    for (std::size_t op = graph_.ops.size(); op-- > 0;) {
      for (internal::Piece& piece : Pinned(op) ? PinnedPieces(op) : PiecesOf(op, most)) {
        pieces_of[op].push_back(problem.pieces.size());
        problem.pieces.push_back(piece);
      }
    }
    problem.flows.resize(problem.pieces.size());
    problem.to_device.resize(problem.pieces.size());
    AddFlows(problem, pieces_of);
    problem.room = free_;
    problem.device = device_;
    for (const std::size_t from : homes_) {
      problem.distance.emplace_back();
      for (const std::size_t to : homes_) problem.distance.back().push_back(Distance(topology_, from, to));
    }
    return problem;
  }

  [[nodiscard]] std::vector<internal::Piece> PiecesOf(std::size_t op, double most) const {
    const auto pieces = static_cast<std::size_t>(std::max(1.0, std::ceil(cores_[op] / most - 1e-9)));
    const double part = 1 / static_cast<double>(pieces);
    return std::vector<internal::Piece>(pieces, {op, cores_[op] * part, part, {}});
  }
  [[nodiscard]] std::vector<internal::Piece> PinnedPieces(std::size_t op) const {
    std::vector<internal::Piece> pieces;
    for (std::size_t home = 0; home < homes_.size(); ++home) {
      if (spread_[op][home] > 0) pieces.push_back({op, 0, spread_[op][home], home});
    }
    return pieces;
  }

  // Any piece of an op sends to any of the next one's, as connectors are shared.
  void AddFlows(PlaceProblem& problem, const std::vector<std::vector<std::size_t>>& pieces_of) const {
    for (std::size_t i = 0; i < graph_.connectors.size(); ++i) {
      const ConnectorInfo& connector = graph_.connectors[i];
      for (const std::size_t sender : pieces_of[Index(connector.from)]) {
        const double bytes = needs_.bytes[i].per_second * problem.pieces[sender].part;
        if (!connector.to) {
          problem.to_device[sender] += bytes;
          continue;
        }
        for (const std::size_t taker : pieces_of[Index(*connector.to)])
          problem.flows[sender].push_back({taker, bytes * problem.pieces[taker].part});
      }
    }
  }

  [[nodiscard]] PlacePlan Bound(PlacePlan plan, const PlaceProblem& problem,
                                const std::vector<std::size_t>& places) const {
    const double crossing = CostOf(problem, places).crossing;
    if (crossing > plan.unbound_bytes.per_second) {
      plan.because = fmt::format("unbound, {} cross nodes, and no placement sends less",
                                 RateWords(plan.unbound_bytes.per_second));
      return plan;
    }
    plan.cross_bytes = Rate{crossing};
    std::vector<std::map<std::size_t, double>> shares(graph_.ops.size());
    for (std::size_t piece = 0; piece < places.size(); ++piece) {
      const auto& [op, cores, part, fixed] = problem.pieces[piece];
      shares[op][homes_[places[piece]]] += fixed ? needs_.cores[op] * part : cores;
    }
    for (const auto& share : shares) {
      plan.homes.emplace_back();
      for (const auto& [node, cores] : share) plan.homes.back().push_back({node, cores});
    }
    plan.because = Because(plan);
    return plan;
  }

  [[nodiscard]] std::string Because(const PlacePlan& plan) const {
    std::string words;
    if (wanted_ > total_)
      words = fmt::format("ops want {:.1f} of {:g} cores, each gets its share; ", wanted_, total_);
    std::map<std::size_t, std::pair<std::string, double>> used;  // by node: ops, cores
    for (std::size_t op = 0; op < plan.homes.size(); ++op) {
      for (const NodeShare& share : plan.homes[op]) {
        auto& [ops, cores] = used[share.node];
        ops += (ops.empty() ? "" : ", ") + graph_.ops[op].name;
        cores += share.cores;
      }
    }
    if (used.size() == 1) {
      words += fmt::format("all ops fit {}", NodeWords(used.begin()->first, used.begin()->second.second));
    } else {
      std::string parts;
      for (const auto& [node, ops_and_cores] : used)
        parts += fmt::format("{}{} on {}", parts.empty() ? "" : "; ", ops_and_cores.first,
                             NodeWords(node, ops_and_cores.second));
      words += parts;
    }
    return words + fmt::format(": {} between nodes, unbound {}", RateWords(plan.cross_bytes.per_second),
                               RateWords(plan.unbound_bytes.per_second));
  }

  // "node 1 (12.0 of 16 cores), where cuda0 is".
  [[nodiscard]] std::string NodeWords(std::size_t node, double cores) const {
    const auto home = static_cast<std::size_t>(std::ranges::find(homes_, node) - homes_.begin());
    std::string words =
        fmt::format("node {} ({:.1f} of {:g} cores)", topology_.nodes[node].number, cores, room_[home]);
    if (home == device_ && needs_.device) {
      const Device& device = topology_.devices[*needs_.device];
      words += fmt::format(", where {} is", device.names.empty() ? device.bus_id : device.names);
    }
    return words;
  }

  const Topology& topology_;
  const Graph& graph_;
  const PlaceNeeds& needs_;
  const std::vector<std::size_t> homes_;
  std::vector<double> cores_;                // by op, scaled down to what there is; of pinned ones none
  std::vector<double> room_;                 // by home
  std::vector<double> free_;                 // the same, without what pinned ops take
  std::vector<std::vector<double>> spread_;  // by op and home: its part there where the plan binds nothing
  double wanted_ = 0, total_ = 0;            // cores that may be placed, and are free
  std::optional<std::size_t> device_;        // index of homes_
};

}  // namespace

PlacePlan PlanPlaces(const Topology& topology, const Graph& graph, const PlaceNeeds& needs) {
  SLUICE_CHECK(needs.cores.size() == graph.ops.size());
  SLUICE_CHECK(needs.bytes.size() == graph.connectors.size());
  return Planner(topology, graph, needs).Plan();
}

}  // namespace sluice::autotune

#include "place/place_problem.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace sluice::autotune::internal {
namespace {

constexpr double kLocal = 10;
constexpr double kRounding = 1e-9;      // of cores: sums of shares
constexpr std::size_t kSteps = 60'000;  // of the wide search, in candidates
constexpr std::size_t kNarrowest = 32, kWidest = 4096;

using Places = std::vector<std::size_t>;

bool Fits(double room, double cores) {
  return cores <= room + kRounding;
}

bool MayBe(const Piece& piece, std::size_t place) {
  return !piece.fixed || *piece.fixed == place;
}

// Places in the order in which a chain should fill them: from the device's outward.
Places NearestFirst(const PlaceProblem& problem) {
  Places order(problem.room.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (problem.device) {
    std::ranges::stable_sort(order, {}, [&](std::size_t place) {
      return place == *problem.device ? 0 : problem.distance[*problem.device][place];
    });
  }
  return order;
}

// Dynamic programming over the spanning order: each place takes a run of neighbours, or nothing.
class RunSearch {
 public:
  explicit RunSearch(const PlaceProblem& problem)
      : problem_(problem), order_(NearestFirst(problem)), pieces_(problem.pieces.size()) {}

  std::optional<Places> Find() {
    best_.assign(order_.size() + 1, std::vector<double>(pieces_ + 1, kNever));
    came_from_.assign(order_.size() + 1, Places(pieces_ + 1, 0));
    best_[0][0] = 0;
    for (std::size_t step = 0; step < order_.size(); ++step) {
      for (std::size_t first = 0; first <= pieces_; ++first) {
        if (best_[step][first] < kNever) Extend(step, first);
      }
    }
    if (best_.back()[pieces_] == kNever) return std::nullopt;
    return Trace();
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // All runs that begin at `first` and go to the place of this step.
  void Extend(std::size_t step, std::size_t first) {
    const std::size_t place = order_[step];
    double cores = 0, crossing = best_[step][first];
    Offer(step, first, first, crossing);
    for (std::size_t piece = first; piece < pieces_; ++piece) {
      cores += problem_.pieces[piece].cores;
      if (!Fits(problem_.room[place], cores) || !MayBe(problem_.pieces[piece], place)) return;
      if (problem_.device && place != *problem_.device) crossing += problem_.to_device[piece];
      for (const Flow& flow : problem_.flows[piece]) {
        if (flow.to < first) crossing += flow.bytes;
      }
      Offer(step, first, piece + 1, crossing);
    }
  }

  void Offer(std::size_t step, std::size_t first, std::size_t end, double crossing) {
    if (crossing >= best_[step + 1][end]) return;
    best_[step + 1][end] = crossing;
    came_from_[step + 1][end] = first;
  }

  [[nodiscard]] Places Trace() const {
    Places places(pieces_);
    std::size_t end = pieces_;
    for (std::size_t step = order_.size(); step-- > 0;) {
      const std::size_t first = came_from_[step + 1][end];
      for (std::size_t piece = first; piece < end; ++piece) places[piece] = order_[step];
      end = first;
    }
    return places;
  }

  const PlaceProblem& problem_;
  const Places order_;
  const std::size_t pieces_;
  std::vector<std::vector<double>> best_;  // by steps done and pieces placed: bytes that cross
  std::vector<Places> came_from_;          // where the last run began
};

// Keeps the best so many partial assignments, piece by piece: all of them where there are no more.
class WideSearch {
 public:
  explicit WideSearch(const PlaceProblem& problem) : problem_(problem) {
    const std::size_t work = std::max<std::size_t>(problem.pieces.size() * problem.room.size(), 1);
    width_ = std::clamp(kSteps / work, kNarrowest, kWidest);
    settled_.resize(problem.room.size());
    for (const Piece& piece : problem.pieces) {
      if (piece.fixed) settled_[*piece.fixed] = true;
    }
    if (problem.device) settled_[*problem.device] = true;
    states_.push_back({{}, problem.room, Places(problem.pieces.size())});
  }

  std::optional<Places> Find() {
    for (std::size_t piece = 0; piece < problem_.pieces.size(); ++piece) {
      std::vector<Candidate> candidates = CandidatesFor(piece);
      if (candidates.empty()) return std::nullopt;
      const std::size_t kept = std::min(width_, candidates.size());
      std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(kept), {},
                                &Candidate::cost);
      candidates.resize(kept);
      Take(piece, candidates);
    }
    return states_.front().places;
  }

 private:
  struct State {
    PlaceCost cost;
    std::vector<double> room;  // left, by place
    Places places;
  };
  struct Candidate {
    PlaceCost cost;
    std::size_t from = 0, place = 0;
  };

  [[nodiscard]] std::vector<Candidate> CandidatesFor(std::size_t piece) const {
    std::vector<Candidate> candidates;
    for (std::size_t from = 0; from < states_.size(); ++from) {
      const State& state = states_[from];
      for (std::size_t place = 0; place < problem_.room.size(); ++place) {
        if (!Fits(state.room[place], problem_.pieces[piece].cores) || !MayBe(problem_.pieces[piece], place) ||
            HasTwin(state, place))
          continue;
        candidates.push_back({state.cost + CostOfPiece(problem_, piece, place, state.places), from, place});
      }
    }
    return candidates;
  }

  // Whether an untouched place before this one is the same for all that is placed.
  [[nodiscard]] bool HasTwin(const State& state, std::size_t place) const {
    if (!Untouched(state, place)) return false;
    for (std::size_t other = 0; other < place; ++other) {
      if (Untouched(state, other) && problem_.room[other] == problem_.room[place] &&
          SameFor(state, other, place))
        return true;
    }
    return false;
  }
  [[nodiscard]] bool Untouched(const State& state, std::size_t place) const {
    return state.room[place] == problem_.room[place] && !settled_[place];
  }
  [[nodiscard]] bool SameFor(const State& state, std::size_t a, std::size_t b) const {
    for (std::size_t place = 0; place < problem_.room.size(); ++place) {
      if (place == a || place == b || Untouched(state, place)) continue;
      if (problem_.distance[a][place] != problem_.distance[b][place]) return false;
    }
    return true;
  }

  void Take(std::size_t piece, const std::vector<Candidate>& candidates) {
    std::vector<State> next;
    next.reserve(candidates.size());
    for (const Candidate& candidate : candidates) {
      State state = states_[candidate.from];
      state.cost = candidate.cost;
      state.room[candidate.place] -= problem_.pieces[piece].cores;
      state.places[piece] = candidate.place;
      next.push_back(std::move(state));
    }
    states_ = std::move(next);
  }

  const PlaceProblem& problem_;
  std::size_t width_ = 0;
  std::vector<bool>
      settled_;  // by place: what goes there is no matter of choice, so that it is like no other
  std::vector<State> states_;
};

}  // namespace

PlaceCost CostBetween(const PlaceProblem& problem, std::size_t from, std::size_t to, double bytes) {
  if (from == to) return {};
  return {bytes, bytes * problem.distance[from][to] / kLocal};
}

PlaceCost CostOfPiece(const PlaceProblem& problem, std::size_t piece, std::size_t place,
                      const std::vector<std::size_t>& places) {
  PlaceCost cost;
  if (problem.device) cost = CostBetween(problem, place, *problem.device, problem.to_device[piece]);
  for (const Flow& flow : problem.flows[piece])
    cost = cost + CostBetween(problem, place, places[flow.to], flow.bytes);
  return cost;
}

PlaceCost CostOf(const PlaceProblem& problem, const std::vector<std::size_t>& places) {
  PlaceCost cost;
  for (std::size_t piece = 0; piece < problem.pieces.size(); ++piece)
    cost = cost + CostOfPiece(problem, piece, places[piece], places);
  return cost;
}

std::optional<std::vector<std::size_t>> FindPlaces(const PlaceProblem& problem) {
  auto wide = WideSearch(problem).Find();
  auto runs = RunSearch(problem).Find();
  if (!wide || !runs) return wide ? wide : runs;
  return CostOf(problem, *runs) < CostOf(problem, *wide) ? runs : wide;
}

}  // namespace sluice::autotune::internal

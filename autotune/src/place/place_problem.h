// The question of the placement planner in plain numbers: pieces of ops that go to places, and what flows
// between them. Immutable functions.
#pragma once
#include <compare>
#include <cstddef>
#include <optional>
#include <vector>

namespace sluice::autotune::internal {

// A part of an op that stays whole: mostly all of it.
struct Piece {
  std::size_t op = 0;
  double cores = 0;
  double part = 1;                     // of its op
  std::optional<std::size_t> fixed{};  // its place; its cores are not in `room` any more
};

struct Flow {
  std::size_t to = 0;  // piece
  double bytes = 0;    // per second
};

struct PlaceProblem {
  std::vector<Piece> pieces;                  // consumer's end first: a piece is behind all that it sends to
  std::vector<std::vector<Flow>> flows;       // by piece, to pieces before it
  std::vector<double> to_device;              // by piece: bytes per second to the consumer's device
  std::vector<double> room;                   // by place, in cores
  std::vector<std::vector<double>> distance;  // between places; 10: local
  std::optional<std::size_t> device;          // its place
};

// What an assignment costs: less is better, the first that differs decides.
struct PlaceCost {
  double crossing = 0;  // bytes per second between places
  double farness = 0;   // the same times how much farther than local they go
  friend auto operator<=>(const PlaceCost&, const PlaceCost&) = default;
  friend PlaceCost operator+(PlaceCost a, PlaceCost b) {
    return {a.crossing + b.crossing, a.farness + b.farness};
  }
};

// `bytes` from one place to another.
[[nodiscard]] PlaceCost CostBetween(const PlaceProblem& problem, std::size_t from, std::size_t to,
                                    double bytes);
// Of a piece at `place`, with the pieces before it at `places`.
[[nodiscard]] PlaceCost CostOfPiece(const PlaceProblem& problem, std::size_t piece, std::size_t place,
                                    const std::vector<std::size_t>& places);
[[nodiscard]] PlaceCost CostOf(const PlaceProblem& problem, const std::vector<std::size_t>& places);

// The least costly places of all pieces that overfill none; nullopt: none was found. Exact where all
// assignments are few; else the better of two bounded searches.
[[nodiscard]] std::optional<std::vector<std::size_t>> FindPlaces(const PlaceProblem& problem);

}  // namespace sluice::autotune::internal

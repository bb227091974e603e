#include "observe/observer.h"

#include "observe/visits.h"

namespace sluice::autotune {
namespace {

constexpr double kShortestLook = 0.05;  // seconds; too little happens in less
constexpr int kEpochTurnsInARow = 3;    // then epochs are shorter than intervals: their turns are normal

Snapshot FirstSight(const Snapshot& seen, const ObserveSettings& settings) {
  Snapshot start = StartOf(seen);
  return seen.at - start.at <= settings.fresh ? start : seen;
}

}  // namespace

Observer::Observer(const Snapshot& seen, const ObserveSettings& settings)
    : previous_(FirstSight(seen, settings)),
      since_(previous_.at),
      visits_(Visits(seen)),
      finest_(FinestOp(*seen.graph, visits_)),
      phases_(PhasesOf(*seen.graph)),
      visited_(phases_.size(), false),
      turnover_(seen.ops.size()) {}

std::optional<Observation> Observer::Observe(const Snapshot& seen) {
  Observation now{.interval = Between(previous_, seen)};
  Interval& interval = now.interval;
  if (interval.state != Cleanliness::kBroken && interval.seconds < kShortestLook) return std::nullopt;
  previous_ = seen;
  visits_ = Visits(seen);
  pauses_.Fold(interval);
  now.turn = FollowPhase(interval);
  const bool mixed = turnover_.Add(interval);
  epoch_turns_ = interval.state == Cleanliness::kEpochTurn ? epoch_turns_ + 1 : 0;
  if (epoch_turns_ > kEpochTurnsInARow) interval.state = Cleanliness::kClean;
  if (mixed && interval.state == Cleanliness::kClean) interval.state = Cleanliness::kResized;
  const bool clean = interval.state == Cleanliness::kClean || interval.state == Cleanliness::kEpochTurn;
  now.usable = clean && !mixed;
  return now;
}

Turn Observer::FollowPhase(Interval& interval) {
  if (phases_.size() == 1 || interval.state == Cleanliness::kBroken) return Turn::kNone;
  const auto phase = PhaseOf(phases_, interval);
  if (!phase && interval.state == Cleanliness::kClean) interval.state = Cleanliness::kEpochTurn;
  if (!phase) return Turn::kNone;
  const bool first = !visited_[*phase];
  visited_[*phase] = true;
  if (*phase == phase_ && !first) return Turn::kNone;
  phase_ = *phase;
  return first ? Turn::kFirst : Turn::kAgain;
}

}  // namespace sluice::autotune

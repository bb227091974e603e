// Observer: turns the snapshots of one run into observations: what happened since the last one, whether
// anything can be learnt from it, and in which phase of the pipeline it was. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "observe/interval.h"
#include "observe/pauses.h"
#include "observe/phases.h"
#include "observe/settings.h"
#include "observe/turnover.h"

namespace sluice::autotune {

enum class Turn : std::uint8_t {
  kNone,
  kAgain,  // to a phase that was seen before
  kFirst,  // to one that was not
};

struct Observation {
  Interval interval;
  bool usable = false;  // tells what items cost
  Turn turn = Turn::kNone;
};

class Observer {
 public:
  // A run that is young at first sight is known from its start on. REQUIRES a graph with ops.
  Observer(const Snapshot& seen, const ObserveSettings& settings);

  // nullopt: too short a time has passed since the last one.
  [[nodiscard]] std::optional<Observation> Observe(const Snapshot& seen);

  [[nodiscard]] MonoTime since() const { return since_; }
  [[nodiscard]] const Snapshot& last() const { return previous_; }
  [[nodiscard]] bool IsOf(const Snapshot& seen) const { return previous_.graph == seen.graph; }
  // As in visits.h.
  [[nodiscard]] const std::vector<double>& visits() const { return visits_; }
  [[nodiscard]] std::size_t finest() const { return finest_; }
  [[nodiscard]] double finest_visits() const { return visits_[finest_]; }
  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }
  [[nodiscard]] std::size_t phase() const { return phase_; }

 private:
  [[nodiscard]] Turn FollowPhase(Interval& interval);

  Snapshot previous_;
  MonoTime since_;
  std::vector<double> visits_;
  std::size_t finest_;
  std::vector<Phase> phases_;
  std::size_t phase_ = 0;
  std::vector<bool> visited_;  // phases that were seen
  Pauses pauses_;
  Turnover turnover_;
  int epoch_turns_ = 0;  // in a row
};

}  // namespace sluice::autotune

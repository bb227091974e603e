// Descent: tries fewer workers of an op that limits the run although it is busy all the time, where the run
// began with as many and fewer were never seen. It may slow itself down, and then its curve does not show it.
//
// First down to the cores, which costs nothing, else by one worker in 32, which costs 3 % at most while it is
// tried; one of fewer than 32 costs more and waits for a long quiet. Where that gains something, half of
// them: then the curve has been seen.
//
// Where the curve rests on two counts far apart, one between them (Scaling::Between). One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "propose/planner.h"

namespace sluice::autotune {

class Descent {
 public:
  // `workers`: those that the run began with, per op.
  explicit Descent(const std::vector<int>& workers = {}) {
    for (const int n : workers) ops_.push_back({.began_with = n});
  }

  // A plan with one change, `measured`: consumer items per second; nullopt: nothing to try. `patient`: also
  // one worker less of a few.
  [[nodiscard]] std::optional<Plan> Propose(const Planner& planner, double measured, bool patient);
  // A step down was kept. One that neither gains nor loses shows that the curve is flat there.
  void Tried(const KnobChange& change, bool gained);
  void Reopen();                // some time has passed: all may be tried again
  void Reopen(std::size_t op);  // its items cost something else now

 private:
  struct State {
    int began_with = 1;
    int tries = 0;
    bool gained = false;  // by fewer workers
  };
  std::vector<State> ops_;
};

}  // namespace sluice::autotune

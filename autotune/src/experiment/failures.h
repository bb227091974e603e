// Failures: the trials that did not pay, so that none of them is made again soon. One thread.
#pragma once
#include <cstddef>
#include <vector>

#include "experiment/trial.h"
#include "propose/planner.h"

namespace sluice::autotune {

class Failures {
 public:
  explicit Failures(std::size_t ops = 0) : caps_(ops, kNoCap) {}

  // The next attempt at an op that grew goes half as far, as a factor: three of them span what one move may.
  void Add(const TrialPlan& plan);
  // A trim left the rate as it was while the consumer waited: more workers than these do not pay.
  void NoteUseless(const TrialPlan& trim, const PipelineEstimate& estimate);
  // A trial paid, or some time has passed.
  void EndRow() { in_a_row_ = 0; }
  // What was tried is void.
  void Forget() { *this = Failures(caps_.size()); }

  [[nodiscard]] const WorkerCaps& caps() const { return caps_; }
  [[nodiscard]] int in_a_row() const { return in_a_row_; }
  [[nodiscard]] bool Includes(const std::vector<KnobChange>& changes) const;

 private:
  WorkerCaps caps_;
  std::vector<std::vector<KnobChange>> tried_;
  int in_a_row_ = 0;
};

}  // namespace sluice::autotune

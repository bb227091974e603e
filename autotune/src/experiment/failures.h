// Failures: the trials that did not pay, so that none of them is made again soon, and how far what the model
// promises is to be trusted after them. One thread.
#pragma once
#include <cstddef>
#include <vector>

#include "experiment/trial.h"
#include "propose/planner.h"

namespace sluice::autotune {

class Failures {
 public:
  explicit Failures(std::size_t ops = 0) : caps_(ops, kNoCap), bad_(ops, kNoCap) {}

  // The next attempt at an op that grew goes half as far, as a factor: three of them span what one move may.
  // `measured`: on trial.
  void Add(const TrialPlan& plan, const RateSummary& measured);
  // Takes back the last of them where less is measured now that it is undone, beyond doubt: what it was
  // compared with had been luck. Once for the same changes.
  bool TakeBack(const RateSummary& now, std::size_t phase);
  // A trim left the rate as it was while the consumer waited: more workers than these do not pay.
  void NoteUseless(const TrialPlan& trim, const PipelineEstimate& estimate);
  // A growth was kept. `gain`: relative, as measured, give or take `error`. One of less than half of what was
  // promised counts as one that did not pay, any other ends the row.
  void Judge(const TrialPlan& plan, double gain, double error);
  // A trial paid, or some time has passed.
  void EndRow() { in_a_row_ = 0; }
  // What was tried is void.
  void Forget() { *this = Failures(caps_.size()); }

  [[nodiscard]] const WorkerCaps& caps() const { return caps_; }
  [[nodiscard]] int in_a_row() const { return in_a_row_; }
  // Of a rate `predicted` in place of `present`, what to believe: half of the gain after one failure, a
  // quarter after two ...
  [[nodiscard]] double Believed(double predicted, double present) const;
  [[nodiscard]] bool Includes(const std::vector<KnobChange>& changes) const;

 private:
  WorkerCaps caps_;
  WorkerCaps bad_;  // the fewest that failed
  std::vector<std::vector<KnobChange>> tried_;
  RateSummary undone_;         // what the last of them made ...
  std::size_t undone_in_ = 0;  // ... in this phase
  std::vector<std::vector<KnobChange>> taken_back_;
  int in_a_row_ = 0;
};

}  // namespace sluice::autotune

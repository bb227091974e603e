// Cores of the budget that other work on the machine takes. They show only while workers of ours are ready
// for nearly all of the budget and some wait; once fewer are started, nobody waits, and the cores are as
// taken as before. So what was seen is believed until half of it is back, which shows in how many idle. One
// thread.
#pragma once
#include "estimate/estimates.h"

namespace sluice::autotune {

// Whether others seem to take a part of the budget's cores. Asked only where no op of ours explains the wait:
// then a short queue for cores does.
[[nodiscard]] bool OthersTakeCores(double budget, const PipelineEstimate& estimate);

// Of the budget, what other work leaves: where workers of ours are ready for nearly all of it and some wait,
// those cores that we use and those that nobody does; where fewer are ready, what is not believed to be
// taken: all of it where that was never seen, as with more workers we would get a greater share.
[[nodiscard]] double CoresToBeHad(double budget, const PipelineEstimate& estimate);

class TakenCores {
 public:
  // After the estimates have learnt.
  void Look(double budget, const PipelineEstimate& estimate);
  // Cores of the budget; 0: nothing speaks for it.
  [[nodiscard]] double believed() const;

 private:
  double budget_ = 0;
  double taken_ = 0;  // of it
};

}  // namespace sluice::autotune

// Plumber: traces the pipeline, solves its LP, applies it, and keeps the faster of the two settings; where
// the new one was not slower, traces and solves again. One thread.
#pragma once
#include <vector>

#include "baseline.h"
#include "plumber_lp.h"
#include "window.h"

namespace sluice::baselines {

class Plumber final : public Baseline {
 public:
  static constexpr Nanos kBenchmark = std::chrono::seconds(62);  // its default

  explicit Plumber(Nanos trace) : trace_(trace) {}

 private:
  void Begin(const Snapshot& seen) override;
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  [[nodiscard]] Move Solve(const Snapshot& seen, const Window& window);
  [[nodiscard]] Move TakeBack();
  void Name(const Snapshot& seen, const PlumberPlan& plan);

  const Nanos trace_;
  Snapshot since_;            // the trace's beginning
  std::vector<Wish> before_;  // the setting that a candidate replaced
  double rate_before_ = 0;    // measured with it
  bool candidate_ = false;    // a new setting is being benchmarked
  bool done_ = false;
};

}  // namespace sluice::baselines

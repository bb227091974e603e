// SimMeter: reads clocks inexactly. What a tick adds to each time is off by a few percent; totals never
// run backwards, and the errors do not add up to a bias. One thread.
#pragma once
#include "sluice/base/rng.h"
#include "sluice/base/snapshot.h"

namespace sluice::simulator {

class SimMeter {
 public:
  SimMeter(double noise, std::uint64_t seed) : noise_(noise), rng_(seed, 0, 0, 3) {}
  // What the meter shows in place of an exact snapshot. To be called once per tick.
  [[nodiscard]] Snapshot Blur(const Snapshot& exact);

 private:
  [[nodiscard]] Nanos Grown(Nanos shown, Nanos before, Nanos now);
  void BlurOp(OpReading& shown, const OpReading& before, const OpReading& now);

  double noise_;
  Rng rng_;
  Snapshot exact_;  // the last one
  Snapshot shown_;
};

}  // namespace sluice::simulator

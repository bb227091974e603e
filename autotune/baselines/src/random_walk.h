// RandomWalk: every ten seconds one worker more or less, on an op drawn at random. What any rule must beat.
#pragma once
#include "baseline.h"
#include "sluice/base/rng.h"
#include "window.h"

namespace sluice::baselines {

class RandomWalk final : public Baseline {
 public:
  static constexpr Nanos kPeriod = std::chrono::seconds(10);

  explicit RandomWalk(std::uint64_t seed) : seed_(seed), rng_(seed) {}

 private:
  void Begin(const Snapshot& seen) override;
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  std::uint64_t seed_;
  Rng rng_;
  Period period_{kPeriod};
};

}  // namespace sluice::baselines

// Ds2: one step from the true rates to the counts: n_i = ceil(target_i / mu_i), mu_i = items / useful time of
// a worker, targets propagated from the consumer's demand by selectivity. Source: Kalavri et al., "Three
// steps is all you need", OSDI 2018. One thread.
#pragma once
#include "baseline.h"
#include "window.h"

namespace sluice::baselines {

enum class Ds2Repeats : std::uint8_t { kOnce, kEveryInterval };

class Ds2 final : public Baseline {
 public:
  static constexpr Nanos kInterval = std::chrono::seconds(5);
  static constexpr double kItems = 20;  // of every op, before its rate is trusted

  explicit Ds2(Ds2Repeats repeats) : repeats_(repeats) {}

 private:
  void Begin(const Snapshot& seen) override;
  [[nodiscard]] Move Next(const Snapshot& seen) override;
  [[nodiscard]] bool IntervalOver(const Snapshot& seen, const Window& window) const;
  [[nodiscard]] Move Scale(const Snapshot& seen, const Window& window) const;

  const Ds2Repeats repeats_;
  Snapshot since_;
  bool done_ = false;
};

}  // namespace sluice::baselines

// Cedar: the live controller of Stanford's cedar. In loops of three seconds: a buffer less than half full is
// a bottleneck; the op with the lowest one gets a worker at a time for as long as each gives more than 1 %;
// with no slot left the op with the fullest buffer gives one up; without a bottleneck now and then a drawn op
// does. Constants: docs/baselines.md, "cedar". One thread.
#pragma once
#include <optional>
#include <vector>

#include "baseline.h"
#include "sluice/base/rng.h"
#include "window.h"

namespace sluice::baselines {

class Cedar final : public Baseline {
 public:
  static constexpr Nanos kLoop = std::chrono::seconds(3);
  static constexpr int kWarmUp = 10;         // loops before the first look
  static constexpr int kAverage = 5;         // loops
  static constexpr int kSettle = 5;          // loops after a worker more
  static constexpr int kPause = 10;          // loops after a worker less
  static constexpr int kLooksToShrink = 10;  // without a bottleneck
  static constexpr double kLowBuffer = 0.5;
  static constexpr double kWorthIt = 1.01;

  explicit Cedar(std::uint64_t seed) : seed_(seed), rng_(seed) {}

 private:
  enum class Phase : std::uint8_t { kWarmUp, kLook, kCheckpoint, kSettle, kMeasure, kPause };
  struct Buffer {
    std::size_t op = 0;
    double fill = 0;
  };

  void Begin(const Snapshot& seen) override;
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  [[nodiscard]] Move Loop(const Snapshot& seen, double rate);
  [[nodiscard]] Move Look(const Snapshot& seen);
  [[nodiscard]] Move Relieve(const Snapshot& seen, const std::vector<Buffer>& buffers);
  [[nodiscard]] Move Shrink(const Snapshot& seen, std::size_t op, const char* why);
  [[nodiscard]] Move Grow(const Snapshot& seen);
  [[nodiscard]] Move Judge(const Snapshot& seen, double average);
  [[nodiscard]] std::vector<Buffer> Buffers(const Snapshot& seen) const;
  void Enter(Phase phase) { phase_ = phase, loops_ = 0, rates_ = 0; }

  const std::uint64_t seed_;
  Rng rng_;
  Period loop_{kLoop};
  Snapshot since_;  // the loop's beginning
  FillSampler fills_;
  Phase phase_ = Phase::kWarmUp;
  int loops_ = 0;     // in this phase
  double rates_ = 0;  // summed over them
  int looks_left_ = kLooksToShrink;
  std::size_t op_ = 0;     // being grown
  double checkpoint_ = 0;  // throughput to beat
};

}  // namespace sluice::baselines

// RayData: Ray Data's actor autoscaler. At every look each op's pool gets an actor more where its
// utilisation, tasks submitted over actors, is at least 1.75, and one less where it is at most 0.5. One
// thread.
#pragma once
#include <vector>

#include "baseline.h"
#include "window.h"

namespace sluice::baselines {

class RayData final : public Baseline {
 public:
  static constexpr double kUp = 1.75;
  static constexpr double kDown = 0.5;
  static constexpr double kInFlight = 2;  // tasks per actor: one runs, one waits
  static constexpr Nanos kNoDownAfterUp = std::chrono::seconds(10);

 private:
  void Begin(const Snapshot& seen) override;
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  [[nodiscard]] double Utilisation(const Snapshot& seen, const Window& window, std::size_t op) const;
  void Scale(const Snapshot& seen, const Window& window, std::size_t op, Move& move);

  Snapshot previous_;
  std::vector<MonoTime> raised_;  // per op
  std::vector<bool> was_raised_;
  int slots_ = 0;  // free ones, while a round hands them out
};

}  // namespace sluice::baselines

// The two rules of thumb that never look: a fixed number of workers, and as many as there are cores.
#pragma once
#include "baseline.h"

namespace sluice::baselines {

// Eight workers per op and a prefetch of 16: the defaults of the engine that the word comes from.
class StaticSettings final : public Baseline {
 public:
  static constexpr int kWorkers = 8;
  static constexpr int kPrefetch = 16;

 private:
  void Begin(const Snapshot&) override { done_ = false; }
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  bool done_ = false;
};

// num_workers = cpu_count(), for every op. Prefetch stays as it is.
class WorkersAsCores final : public Baseline {
  void Begin(const Snapshot&) override { done_ = false; }
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  bool done_ = false;
};

}  // namespace sluice::baselines

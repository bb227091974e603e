// TfData: tf.data's AUTOTUNE: every round the model is filled from the counters and searched, and what comes
// out is applied; rounds come after 10 ms, 20 ms, 40 ms, ... 60 s. Nothing is compared with what happened
// then. Every op begins with the same parallelism. The prefetch buffer before the consumer has a tuner of its
// own. One thread.
#pragma once
#include "baseline.h"
#include "tfdata_search.h"
#include "tfdata_signals.h"

namespace sluice::baselines {

enum class TfAlgorithm : std::uint8_t { kHillClimb, kMaxParallelism, kStageBased };

class TfData final : public Baseline {
 public:
  static constexpr Nanos kFirstPeriod = std::chrono::milliseconds(10);
  static constexpr Nanos kLongestPeriod = std::chrono::seconds(60);
  static constexpr int kInitialParallelism = 16;  // at most a worker per core

  explicit TfData(TfAlgorithm algorithm) : algorithm_(algorithm) {}

 private:
  void Begin(const Snapshot& seen) override;
  [[nodiscard]] Move Next(const Snapshot& seen) override;

  [[nodiscard]] static Move InitialParallelism(const Snapshot& seen);
  [[nodiscard]] bool RoundDue(MonoTime now);
  void Tune(const Snapshot& seen, Move& move);
  void TunePrefetch(const Snapshot& seen, Move& move);
  [[nodiscard]] bool Search(TfDataModel& model, const TfBudget& budget) const;

  const TfAlgorithm algorithm_;
  Nanos period_ = kFirstPeriod;
  MonoTime next_{0};
  bool begun_ = false;
  TfMovingMeans means_;
  TfGapTimes gaps_;
  TfPrefetchTuner prefetch_;
};

}  // namespace sluice::baselines

// Trial: one change as an experiment. Waits until it is in force and has settled, then compares the rate with
// the one before by a sequential test that knows the noise. One thread.
#pragma once
#include <cstdint>
#include <vector>

#include "all_settings.h"
#include "experiment/sequential_test.h"
#include "experiment/settling.h"
#include "observe/rate_windows.h"
#include "setting/setting.h"

namespace sluice::autotune {

// A growth must show a gain to be kept. A trim must not show a loss. A descent, fewer workers where they may
// slow each other down, asks whether a gain is likelier than a loss of the same size; without either it
// stays. A placement must show a gain, and says nothing of workers.
enum class TrialKind : std::uint8_t { kGrowth, kDescent, kTrim, kPlacement };

struct TrialPlan {
  std::uint64_t decision = 0;
  TrialKind kind = TrialKind::kGrowth;
  std::vector<KnobChange> changes;
  std::size_t phase = 0;  // of the pipeline; rates of two phases are never compared
  RateSummary before = {};
  double predicted = 0;  // consumer items per second
  bool served = false;   // the consumer lacked nothing before
  double latest = 0;     // seconds after which an item that entered the ops has left them, as a rule

  // After a glimpse of a few items the rate before is hearsay: below it by as much as it may be off is no
  // loss.
  [[nodiscard]] double LeastBefore(const AutoTuneSettings& settings) const;
};

enum class TrialStep : std::uint8_t {
  kRunning,
  kKeep,
  kRollBack,
  kRefused,  // the plant did not apply it
  kOver,     // its phase is, and does not come back soon
};

class Trial {
 public:
  Trial(TrialPlan plan, MonoTime started, const AutoTuneSettings& settings);

  [[nodiscard]] const TrialPlan& plan() const { return plan_; }
  // The phase from now on. While it is another than the plan's nothing is compared.
  void Turn(std::size_t phase);
  // `visits` and `finest` as in visits.h.
  [[nodiscard]] TrialStep Add(const Snapshot& seen, const Interval& interval,
                              const std::vector<double>& visits, std::size_t finest);
  // All of its changes are in force.
  [[nodiscard]] bool Applied(const Snapshot& seen) const;
  // False while items of the time before still show in the ops' counters.
  [[nodiscard]] bool flushed() const { return !applied_ || settling_.done(); }
  // What was measured after the change had settled.
  [[nodiscard]] const RateWindows& windows() const { return windows_; }
  // The changes that undo it, for those knobs that are still the controller's.
  [[nodiscard]] std::vector<KnobChange> Reverse(const Snapshot& seen) const;

 private:
  // Of an op, since the change is in force; times in seconds, summed over its workers.
  struct Work {
    double items = 0, busy = 0, alive = 0;
  };
  void Note(const Interval& interval);
  [[nodiscard]] bool Collapsed(const std::vector<double>& visits, std::size_t finest) const;
  [[nodiscard]] bool CostsTooMuch() const;
  [[nodiscard]] bool AwaitsEpoch(const Snapshot& seen) const;
  [[nodiscard]] TrialStep AwaitForce(const Snapshot& seen, std::size_t finest);

  TrialPlan plan_;
  AutoTuneSettings settings_;
  MonoTime started_;
  std::size_t phase_;
  double elsewhere_ = 0;  // seconds in a row in other phases
  bool applied_ = false;
  double seconds_ = 0;  // since then
  double starved_ = 0;  // seconds of the consumer's in that time, beyond the share that is no loss to see
  std::vector<Work> work_;
  Settling settling_;
  RateWindows windows_;
  SequentialTest test_;
};

}  // namespace sluice::autotune

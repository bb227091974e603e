// AutoTune: the controller as a state machine. A snapshot becomes an observation, the estimates learn from
// it, the state takes its step (states.h), and a verdict is given. One thread.
#pragma once
#include <optional>

#include "all_settings.h"
#include "control/states.h"
#include "explain/steady_verdict.h"

namespace sluice::autotune {

class AutoTune final : public Controller {
 public:
  explicit AutoTune(const AutoTuneSettings& settings);
  AutoTune(const AutoTune&) = delete;  // what it knows refers to its journal
  AutoTune& operator=(const AutoTune&) = delete;

  [[nodiscard]] Decision Decide(const Snapshot& seen) override;
  [[nodiscard]] std::optional<Forecast> Foresee(const Snapshot& seen,
                                                const std::vector<KnobChange>& changes) override;
  [[nodiscard]] std::vector<Belief> DebugState() const override;

 private:
  void Begin(const Snapshot& seen);
  void Follow(Turn turn);
  void ShowPhase();
  void Learn(const Observation& now, const Snapshot& seen);
  [[nodiscard]] Decision Take(const Moment& now);
  [[nodiscard]] RateSummary Told(const RateSummary& measured) const;
  void Explain(const Snapshot& seen, Decision& decision);

  const AutoTuneSettings settings_;
  Journal journal_;
  std::optional<Knowledge> known_;  // nullopt: no pipeline was seen yet
  State state_;
  RateSummary told_;  // the rate that the last verdict spoke of
  SteadyVerdict verdict_;
};

}  // namespace sluice::autotune

// AutoTune: the state machine that composes the parts: observe -> try -> observe ... -> rest, and back to
// observing when the watch or a bell says so. Each part is a class of its own; here is only who is asked
// when. One thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "estimate/estimates.h"
#include "experiment/failures.h"
#include "experiment/second_thoughts.h"
#include "experiment/settling.h"
#include "experiment/trial.h"
#include "explain/diagnosis.h"
#include "explain/steady_verdict.h"
#include "observe/pauses.h"
#include "observe/rate_windows.h"
#include "observe/turnover.h"
#include "propose/descent.h"
#include "propose/planner.h"
#include "propose/trim.h"
#include "setting/expectation.h"
#include "sluice/autotune/auto_tune.h"
#include "watch/watch.h"

namespace sluice::autotune {

class AutoTune final : public Controller {
 public:
  explicit AutoTune(const AutoTuneSettings& settings);

  [[nodiscard]] Decision Decide(const Snapshot& seen) override;

 private:
  enum class Stage : std::uint8_t { kObserving, kTrying, kResting };

  // What Decide() saw this time.
  struct Moment {
    const Snapshot& seen;
    const Interval& interval;
  };

  // What is estimated and what follows from it: asked for several times in a call.
  struct View {
    View(const Snapshot& seen, PipelineEstimate known, WorkerCaps most, const AutoTuneSettings& settings)
        : estimate(std::move(known)), caps(std::move(most)), planner(seen, estimate, caps, settings) {}
    PipelineEstimate estimate;
    WorkerCaps caps;
    Planner planner;
    std::uint64_t version = 0;  // of the estimates
  };

  void Restart(const Snapshot& seen);
  void FollowPhase(Interval& interval);
  void Learn(Interval& interval);
  [[nodiscard]] Decision Step(const Moment& now);

  [[nodiscard]] Decision Observe(const Moment& now);
  [[nodiscard]] Decision Try(const Moment& now);
  [[nodiscard]] Decision Rest(const Moment& now);

  // Observing.
  [[nodiscard]] bool LookedLongEnough(const Snapshot& seen) const;
  [[nodiscard]] RateSummary Measured() const;
  [[nodiscard]] RateSummary Present(const Planner& planner, bool shifted) const;
  // From the noise of the present rate.
  [[nodiscard]] bool StandsOut(double gain, const RateSummary& measured) const;
  [[nodiscard]] bool Urgent(double gain, const RateSummary& measured) const;
  // `shift`: has just been noticed, and the rate has not been measured since.
  [[nodiscard]] Decision Consider(const Snapshot& seen, const Shift* shift = nullptr);
  [[nodiscard]] Decision FitMemory(const Snapshot& seen, const Planner& planner);
  [[nodiscard]] Decision Force(const Snapshot& seen, const Plan& plan, double before, std::string because);
  [[nodiscard]] bool OverBudget(const Planner& planner) const;

  // Trying.
  [[nodiscard]] Decision Start(const Snapshot& seen, Plan plan, TrialKind kind, RateSummary before,
                               std::string because);
  [[nodiscard]] bool ToBlame() const;
  [[nodiscard]] bool TakesTooMuch(const Planner& planner) const;
  [[nodiscard]] bool Outdated(const Snapshot& seen) const;
  void Keep(const Snapshot& seen);
  void Judge();
  [[nodiscard]] Decision RollBack(const Snapshot& seen, Fate fate);

  // Resting.
  void BeginRest(MonoTime now);
  void Reopen(const Snapshot& seen);
  [[nodiscard]] Decision Respond(const Moment& now, const Shift& shift);
  [[nodiscard]] Decision Descend(const Snapshot& seen, const Planner& planner, const RateSummary& measured);
  [[nodiscard]] Decision Explore(const Snapshot& seen, const Planner& planner);
  void Abandon();

  [[nodiscard]] Decision Act(const Snapshot& seen, std::vector<KnobChange> changes, std::string because);
  [[nodiscard]] Decision Advise(const Snapshot& seen, const Plan& plan, std::string because);
  void Conclude(std::uint64_t decision, Fate fate, std::optional<double> measured);
  [[nodiscard]] RateSummary Told(const RateSummary& measured) const;
  void Finish(const Snapshot& seen, Decision& decision);
  [[nodiscard]] PipelineEstimate Estimate() const;
  [[nodiscard]] std::shared_ptr<const View> Look(const Snapshot& seen) const;

  const AutoTuneSettings settings_;

  std::optional<Snapshot> previous_;
  mutable std::shared_ptr<const View> view_;  // within one call
  std::vector<double> visits_;
  std::size_t finest_ = 0;
  std::vector<Phase> phases_;
  std::size_t phase_now_ = 0;
  std::vector<bool> visited_;  // phases that were seen
  Expectation expectation_;
  int epoch_turns_ = 0;  // in a row

  Stage stage_ = Stage::kObserving;
  MonoTime started_{0};
  MonoTime resting_since_{0};
  MonoTime quiet_since_{0};  // no change since then
  RateSummary at_rest_;      // measured before the present rest
  bool looked_ = false;      // the first look is over
  Settling settling_;
  Pauses pauses_;
  Turnover turnover_;
  std::optional<Estimates> estimates_;
  RateWindows windows_;
  std::optional<Trial> trial_;
  Trim trim_;
  Descent descent_;
  SecondThoughts second_thoughts_;
  std::optional<Watch> watch_;

  Failures failures_;
  std::vector<KnobChange> said_;  // advised last
  bool trimmed_ = false;          // what is in force, or on trial, came from a trim
  Nanos rest_;
  bool short_of_memory_ = false;

  RateSummary told_;  // the rate that the last verdict spoke of
  SteadyVerdict verdict_;

  std::uint64_t last_id_ = 0;
  std::optional<std::uint64_t> unverified_;  // a rollback or forced change whose rate is still to be measured
  std::vector<Outcome> outcomes_;            // to leave with the next decision
};

}  // namespace sluice::autotune

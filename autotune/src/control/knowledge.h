// Knowledge: what the controller knows of a run and has tried on it, whatever it is doing at the moment. Its
// members are classes of their own; what they tell together is asked for here. One thread.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "all_settings.h"
#include "control/journal.h"
#include "estimate/estimates.h"
#include "estimate/taken_cores.h"
#include "experiment/failures.h"
#include "experiment/second_thoughts.h"
#include "experiment/settling.h"
#include "experiment/trial.h"
#include "observe/observer.h"
#include "propose/descent.h"
#include "propose/placing.h"
#include "propose/planner.h"
#include "propose/trim.h"
#include "watch/watch.h"

namespace sluice::autotune {

// The estimates, and the plans that follow from them.
struct View {
  View(const Snapshot& seen, PipelineEstimate known, WorkerCaps most, const AutoTuneSettings& settings)
      : estimate(std::move(known)), caps(std::move(most)), planner(seen, estimate, caps, settings) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  PipelineEstimate estimate;
  WorkerCaps caps;
  Planner planner;
  std::uint64_t version = 0;  // of the estimates
};

struct Knowledge {
  // Of a run that is seen for the first time. Keeps references.
  Knowledge(const Snapshot& seen, Journal& decisions, const AutoTuneSettings& all);

  [[nodiscard]] PipelineEstimate Estimate() const;
  // Worked out once per call of the controller. `seen` must outlive it.
  [[nodiscard]] std::shared_ptr<const View> Look(const Snapshot& seen);
  // Until all that was under way has left.
  [[nodiscard]] Settling Unsettled(const Snapshot& seen) const;
  // A decision that is to come into force: what was measured before it counts for little.
  [[nodiscard]] Decision Ask(const Snapshot& seen, std::vector<KnobChange> changes, std::string because);
  [[nodiscard]] Decision Order(const Snapshot& seen, std::vector<KnobChange> changes, std::string because);
  // Conditions have shifted, or others have changed something: what was tried is void.
  void Reopen(const Snapshot& seen);
  // The ends of the trials that were set aside are not awaited.
  void AbandonSetAside();

  const AutoTuneSettings& settings;
  Journal& journal;
  Observer observer;
  Estimates estimates;
  TakenCores taken{};
  Watch watch;
  Failures failures;
  Trim trim;
  Descent descent;
  Placing placing{};
  SecondThoughts second_thoughts;
  Nanos rest;            // before all is looked at again
  MonoTime quiet_since;  // no change since then
  bool looked = false;   // the first look is over
  bool trimmed = false;  // what is in force, or on trial, came from a trim
  bool short_of_memory = false;
  std::vector<Trial> set_aside{};  // whose phases are over for now
  // Before room was made in memory for what is tried next: it has to be better than that.
  std::optional<RateSummary> before_room{};
  std::shared_ptr<const View> view{};  // of this call; its snapshot is gone afterwards
};

// Buffers and workers of what is in force could hold more than the byte budget.
[[nodiscard]] bool OverBudget(const Planner& planner);
// They could, and with other values would not: items have turned out, or have become, larger than when it was
// planned.
[[nodiscard]] bool TakesTooMuch(const Planner& planner);

}  // namespace sluice::autotune

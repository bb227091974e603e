#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/states.h"
#include "explain/diagnosis.h"
#include "explain/wording.h"
#include "propose/first_look.h"
#include "rule.h"
#include "sluice/base/text.h"

namespace sluice::autotune {
namespace {

constexpr std::size_t kPatientWindows = 20;  // to see a small gain through the noise
constexpr double kUrgentWindows = 2;         // before an urgent gain; twice of it after one
constexpr double kShiftGain = 0.2;           // is worth a plan by what the interval of an alarm has shown

// Before the first window has closed: what can be said of it.
RateSummary Measured(const Observing& state, const Knowledge& known) {
  const RateSummary summary = state.windows.Summary();
  if (summary.windows > 0 || !known.journal.empty()) return summary;
  return state.windows.Glimpse(known.observer.finest_visits()).value_or(summary);
}

// What the present workers make. After a shift that is not what was measured before it, and in the first
// windows items fill buffers: ops make them faster than they ever leave.
RateSummary Present(const Observing& state, const Knowledge& known, const Planner& planner, bool shifted) {
  const double modelled = planner.model().With(planner.present().workers).rate;
  if (shifted) return {1, modelled, known.settings.prior_noise};
  RateSummary measured = Measured(state, known);
  if (measured.windows < kFewWindows && known.journal.empty())
    measured.mean = std::min(measured.mean, modelled);
  return measured;
}

bool LookedLongEnough(const Observing& state, const Knowledge& known, const Snapshot& seen) {
  return LongEnough({.looked = seen.at - known.observer.since(),
                     .measured = Measured(state, known),
                     .estimate = known.Estimate(),
                     .visits = known.observer.visits(),
                     .finest = known.observer.finest(),
                     .consumer_items = seen.consumer.items,
                     .sizes_matter = seen.budget.memory.count > 0},
                    known.settings);
}

// From the noise of the present rate.
bool StandsOut(double gain, const RateSummary& measured) {
  return !On(Rule::kStandsOut) || gain >= 2 * std::sqrt(measured.Variance());
}

// So much more that few windows are enough to see it. The first plan cannot wait in any case.
bool Urgent(double gain, const RateSummary& measured, bool first) {
  const double doubt = std::max(1.0, kUrgentWindows / static_cast<double>(measured.windows));
  return !On(Rule::kUrgency) || first || gain >= doubt * kUrgentGain;
}

// In scarce memory buffers have a say, of which the model knows too little for small gains; and what the
// first look did not see of them is no reason to disturb the run later.
double LeastGain(const Knowledge& known, const Plan& plan) {
  const bool once_more = On(Rule::kOnceMore) && known.rest > known.settings.rest;
  return plan.short_of_memory || once_more ? known.settings.worthwhile_gain : known.settings.small_gain;
}

// Without a trial: it has to be, whatever comes of it.
Step Force(const Observing& state, Knowledge& known, const Snapshot& seen, const Plan& plan, double before,
           std::string because) {
  if (known.settings.advise) {
    return {known.journal.Advise(plan, before, std::move(because)), Rest(known, seen.at, state.settling)};
  }
  Step step{known.Order(seen, plan.changes, std::move(because)),
            Observing(known.Unsettled(seen), RateWindows(known.settings))};
  step.decision.before = {before};
  step.decision.predicted = {plan.predicted};
  return step;
}

std::optional<Step> FitMemory(const Observing& state, Knowledge& known, const Snapshot& seen,
                              const Planner& planner) {
  const Plan plan = planner.Fit();
  if (plan.changes.empty()) return std::nullopt;
  std::string because = fmt::format("buffers and workers could hold {}, the byte budget is {}: {}",
                                    FormatBytes({static_cast<std::int64_t>(planner.Held(planner.present()))}),
                                    FormatBytes(seen.budget.memory), InWords(seen, plan.changes));
  return Force(state, known, seen, plan, Measured(state, known).mean, std::move(because));
}

std::optional<Step> Descend(Knowledge& known, const Snapshot& seen, const Planner& planner,
                            const RateSummary& measured) {
  if (!On(Rule::kDescent)) return std::nullopt;
  const bool patient = seen.at - known.quiet_since >= known.settings.explore_after;
  auto plan = known.descent.Propose(planner, measured.mean, patient);
  const bool none = !plan || plan->changes.empty() || plan->makes_room;
  if (none || known.failures.Includes(plan->changes)) return std::nullopt;
  std::string because =
      fmt::format("more workers may slow each other down, and this many were never tried: {}",
                  InWords(seen, plan->changes));
  return Try(known, seen, std::move(*plan), TrialKind::kDescent, measured, std::move(because));
}

// What the nodes of the machine are for, once workers and buffers are settled.
std::optional<Step> PlaceOps(Knowledge& known, const Snapshot& seen, const View& view,
                             const RateSummary& measured) {
  auto proposal = known.placing.Propose(seen, view.planner, view.estimate, measured.mean);
  if (!proposal) return std::nullopt;
  proposal->plan.predicted = (1 + known.settings.worthwhile_gain) * measured.mean;
  return Try(known, seen, std::move(proposal->plan), TrialKind::kPlacement, measured,
             std::move(proposal->because));
}

// `plan` has stood out.
Step TryGrowth(const Observing& state, Knowledge& known, const Snapshot& seen, const View& view, Plan plan,
               const RateSummary& measured, const Shift* shift) {
  if (plan.makes_room) {
    if (!known.before_room) known.before_room = measured;
    return Force(state, known, seen, plan, measured.mean,
                 "makes room in memory first: " + InWords(seen, plan.changes));
  }
  const DiagnosisInput facts{seen, view.estimate, view.planner, measured, plan.short_of_memory};
  std::string because =
      fmt::format("{}; {} {} predicted to give {}",
                  shift ? InWords(*seen.graph, *shift, measured.mean) : Reason(facts, known.settings),
                  InWords(seen, plan.changes), plan.changes.size() == 1 ? "is" : "are",
                  InRows(*seen.graph, plan.predicted));
  return Try(known, seen, std::move(plan), TrialKind::kGrowth, measured, std::move(because));
}

// Slow items may take longer to arrive than full buffers take to exceed what the run may hold.
Step BeforeTheFirstPlan(const Observing& state, Knowledge& known, const Snapshot& seen) {
  const bool late = seen.at - known.observer.since() >= known.settings.slow_items_after;
  if (!late || known.settings.advise) return {};
  const auto view = known.Look(seen);
  if (!OverBudget(view->planner)) return {};
  auto fitted = FitMemory(state, known, seen, view->planner);
  return fitted ? std::move(*fitted) : Step{};
}

}  // namespace

Step StepOf(Observing& state, Knowledge& known, const Moment& now) {
  if (!state.settling.done()) {
    state.settling.Add(now.interval);
    return {};
  }
  if (now.interval.state == Cleanliness::kClean)
    state.windows.Add(now.interval, known.observer.finest(), known.observer.finest_visits());
  if (On(Rule::kFirstLook) && !known.looked && !LookedLongEnough(state, known, now.seen))
    return BeforeTheFirstPlan(state, known, now.seen);
  known.looked = true;
  return Consider(std::move(state), known, now.seen);
}

Step Consider(Observing state, Knowledge& known, const Snapshot& seen, const Shift* shift) {
  const AutoTuneSettings& settings = known.settings;
  const auto view = known.Look(seen);
  const Planner& planner = view->planner;
  if (OverBudget(planner)) {
    if (auto fitted = FitMemory(state, known, seen, planner)) return std::move(*fitted);
  }
  const RateSummary measured = Present(state, known, planner, shift != nullptr);
  if (measured.windows == 0 || measured.mean <= 0) return {{}, std::move(state)};
  const bool few = measured.windows < kFewWindows;
  const bool first = known.journal.empty();
  Plan plan = planner.Grow();
  known.short_of_memory = plan.short_of_memory;
  const bool served = shift == nullptr && view->estimate.starved < settings.served.value &&
                      std::isfinite(view->estimate.demand);
  const double gain = served ? 0 : planner.Hoped() / measured.mean - 1;
  if (On(Rule::kNudge) && plan.changes.empty() && gain >= settings.worthwhile_gain)
    plan = planner.Nudge(measured);
  if (few && !(shift ? gain >= kShiftGain : Urgent(gain, measured, first))) return {{}, std::move(state)};
  const double hoped = (1 + gain) * measured.mean;
  plan.predicted =
      known.failures.Believed(plan.feeds ? hoped : std::min(hoped, plan.predicted), measured.mean);
  if (!std::isfinite(plan.predicted)) plan.changes.clear();  // nobody knows yet what items cost
  const double predicted = plan.predicted / measured.mean - 1;
  const bool worth_it = !plan.changes.empty() && predicted >= LeastGain(known, plan) &&
                        !known.failures.Includes(plan.changes) &&
                        (!On(Rule::kMostFailures) || known.failures.in_a_row() < settings.most_failures);
  if (worth_it && StandsOut(predicted, measured))
    return TryGrowth(state, known, seen, *view, std::move(plan), measured, shift);
  if (measured.windows < (worth_it ? kPatientWindows : kFewWindows)) return {{}, std::move(state)};
  if (!served) {
    if (auto placed = PlaceOps(known, seen, *view, measured)) return std::move(*placed);
    if (auto descent = Descend(known, seen, planner, measured)) return std::move(*descent);
  }
  return {{}, Rest(known, seen.at, state.settling)};
}

Observing Reopened(Knowledge& known, const Snapshot& seen) {
  known.Reopen(seen);
  return {known.Unsettled(seen), RateWindows(known.settings)};
}

}  // namespace sluice::autotune

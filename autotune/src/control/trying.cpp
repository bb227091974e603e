#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/states.h"
#include "explain/wording.h"
#include "rule.h"
#include "sluice/base/text.h"

namespace sluice::autotune {
namespace {

constexpr double kSpare = 0.8;         // utilisation of an op that holds nobody up
constexpr double kClearlyWorse = 0.8;  // than before: a trial's end is awaited, whatever is promised next

// Where the consumer gets what it can take no growth could show more: the rate before was that of buffers
// that filled. Nor has a trim cost anything then, or where the ops have workers to spare after it as well.
bool IsToBlame(const Trial& trial, const Knowledge& known) {
  if (!On(Rule::kBlame) || trial.plan().kind == TrialKind::kPlacement) return true;
  const PipelineEstimate estimate = known.Estimate();
  const double measured = trial.windows().Summary().mean;
  if (trial.plan().kind == TrialKind::kDescent)
    return measured < (1 - known.settings.loss_to_see / 2) * trial.plan().before.mean;
  if (trial.plan().kind == TrialKind::kGrowth)
    return measured < (1 - known.settings.worthwhile_gain) * estimate.demand;
  if (estimate.starved < known.settings.served.value) return false;
  return std::ranges::any_of(trial.plan().changes, [&](const KnobChange& change) {
    if (change.to > change.from) return false;
    return change.knob.kind != KnobKind::kWorkers || estimate.ops[change.knob.target].utilisation > kSpare;
  });
}

// What was learnt from the trial itself promises so much more, or needs so much less memory, that its end
// need not be awaited.
bool IsOutdated(const Trial& trial, Knowledge& known, const Snapshot& seen) {
  if (!On(Rule::kOutdated)) return false;
  const auto view = known.Look(seen);
  const Planner& planner = view->planner;
  if (trial.flushed() && TakesTooMuch(planner)) return true;
  const RateSummary measured = trial.windows().Summary();
  if (trial.plan().kind != TrialKind::kGrowth || measured.windows == 0) return false;
  if (measured.mean < kClearlyWorse * trial.plan().LeastBefore(known.settings)) return false;
  const Plan plan = planner.Grow();
  const double predicted = known.failures.Believed(plan.predicted, measured.mean);
  return !plan.changes.empty() &&
         predicted >= (1 + kUrgentGain) * std::max(measured.mean, trial.plan().before.mean) &&
         !known.failures.Includes(plan.changes);
}

// Whether what is kept has given what it promised.
void Judge(const Trial& trial, Knowledge& known) {
  const RateSummary measured = trial.windows().Summary();
  if (measured.windows == 0) return;
  const TrialPlan& plan = trial.plan();
  const double gain = measured.mean / plan.before.mean - 1;
  const double error = 2 * std::sqrt(measured.Variance() + plan.before.Variance());
  if (plan.kind == TrialKind::kGrowth) return known.failures.Judge(plan, gain, error);
  if (plan.kind == TrialKind::kPlacement) return;
  known.descent.Tried(plan.changes.front(), gain > (plan.predicted > plan.before.mean ? 0 : error));
}

State Keep(const Trial& trial, Knowledge& known, MonoTime now) {
  const TrialPlan& plan = trial.plan();
  known.quiet_since = now;
  const RateSummary measured = trial.windows().Summary();  // nothing while another phase passes
  known.journal.Conclude(plan.decision, Fate::kKept,
                         measured.windows > 0 ? std::optional(measured.mean) : std::nullopt);
  if (plan.kind == TrialKind::kTrim) {
    known.trim.Kept(now);
    if (!plan.served) known.failures.NoteUseless(plan, known.Estimate());
    return Rest(known, now, {}, true);
  }
  Judge(trial, known);
  return Observing({}, trial.windows());
}

Step RollBack(const Trial& trial, Knowledge& known, const Snapshot& seen, Fate fate) {
  const TrialPlan& plan = trial.plan();
  const double measured = trial.windows().Summary().mean;
  known.journal.Conclude(plan.decision, fate,
                         fate == Fate::kRejected ? std::nullopt : std::optional(measured));
  known.failures.Add(plan, trial.windows().Summary());
  if (plan.kind == TrialKind::kTrim) known.trim.GivenBack(seen.at);
  known.trimmed = false;
  known.quiet_since = seen.at;
  auto reverse = known.Look(seen)->planner.Safe(trial.Reverse(seen));
  Step step{{}, Observing(known.Unsettled(seen), RateWindows(known.settings))};
  if (reverse.empty()) return step;
  std::string because = fate == Fate::kRejected
                            ? fmt::format("the change was not applied within {}: withdrawn",
                                          FormatDuration(known.settings.refused_after))
                            : fmt::format("measured {} instead of the predicted {} ({} before): undone, {}",
                                          InRows(*seen.graph, measured), InRows(*seen.graph, plan.predicted),
                                          InRows(*seen.graph, plan.before.mean), InWords(seen, reverse));
  step.decision = known.Order(seen, std::move(reverse), std::move(because));
  step.decision.before = {measured};
  step.decision.predicted = {plan.before.mean};
  return step;
}

}  // namespace

Step Try(Knowledge& known, const Snapshot& seen, Plan plan, TrialKind kind, RateSummary before,
         std::string because) {
  if (known.settings.advise) {
    return {known.journal.Advise(plan, before.mean, std::move(because)), Rest(known, seen.at, {})};
  }
  const auto before_room = std::exchange(known.before_room, std::nullopt);
  if (before_room && kind == TrialKind::kGrowth && before_room->mean > before.mean) before = *before_room;
  const PipelineEstimate estimate = known.Estimate();
  Decision decision = known.Ask(seen, plan.changes, std::move(because));
  decision.before = {before.mean};
  decision.predicted = {plan.predicted};
  // While buffers fill, the ops make more than the consumer takes.
  if (kind == TrialKind::kTrim) before.mean = std::min(before.mean, estimate.demand);
  known.trimmed = kind == TrialKind::kTrim;
  Trial trial(TrialPlan{.decision = decision.id,
                        .kind = kind,
                        .changes = std::move(plan.changes),
                        .phase = known.observer.phase(),
                        .before = before,
                        .predicted = plan.predicted,
                        .served = kind == TrialKind::kTrim && estimate.starved < known.settings.served.value,
                        .latest = LatestArrival(estimate)},
              seen.at, known.settings);
  return {std::move(decision), Trying{std::move(trial)}};
}

Step StepOf(Trying& state, Knowledge& known, const Moment& now) {
  Trial& trial = state.trial;
  // What was planned for less demand is over when it returns, whatever the buffers still cover.
  if (trial.plan().kind == TrialKind::kTrim && now.interval.state == Cleanliness::kClean) {
    const auto shift = known.watch.AddDemand(now.interval);
    if (On(Rule::kDemandEndsTrim) && shift && shift->ratio > 1) {
      Abandon(state, known);
      return Respond(known, now, *shift);
    }
  }
  switch (trial.Add(now.seen, now.interval, known.observer.visits(), known.observer.finest())) {
    case TrialStep::kRunning: {
      if (!IsOutdated(trial, known, now.seen)) return {};
      State next = Keep(trial, known, now.seen.at);
      auto* const observing = std::get_if<Observing>(&next);
      if (observing == nullptr) return {{}, std::move(next)};
      return Consider(std::move(*observing), known, now.seen);
    }
    case TrialStep::kKeep:
      return {{}, Keep(trial, known, now.seen.at)};
    case TrialStep::kRollBack:
      if (!IsToBlame(trial, known)) return {{}, Keep(trial, known, now.seen.at)};
      return RollBack(trial, known, now.seen, Fate::kRolledBack);
    case TrialStep::kRefused:
      return RollBack(trial, known, now.seen, Fate::kRejected);
    case TrialStep::kOver: {
      RateWindows windows = trial.windows();
      SetAside(std::move(state), known);
      return {{}, Observing({}, std::move(windows))};
    }
  }
  return {};
}

void Abandon(const Trying& state, Knowledge& known) {
  known.journal.Conclude(state.trial.plan().decision, Fate::kKept, std::nullopt);
}

void SetAside(Trying state, Knowledge& known) {
  if (!On(Rule::kSetAside)) return Abandon(state, known);
  known.set_aside.push_back(std::move(state.trial));
}

std::optional<Trying> Resume(Knowledge& known, const Snapshot& seen) {
  const auto here = std::ranges::find_if(
      known.set_aside, [&](const Trial& trial) { return trial.plan().phase == known.observer.phase(); });
  if (here == known.set_aside.end()) return std::nullopt;
  Trying state{std::move(*here)};
  known.set_aside.erase(here);
  if (state.trial.Applied(seen)) return state;
  Abandon(state, known);
  return std::nullopt;
}

}  // namespace sluice::autotune

#include "control/auto_tune.h"

#include <utility>

#include "control/debug_state.h"
#include "explain/diagnosis.h"
#include "explain/foresight.h"
#include "sluice/base/check.h"

namespace sluice::autotune {
namespace {

const Trial* TrialOf(const State& state) {
  const auto* const trying = std::get_if<Trying>(&state);
  return trying ? &trying->trial : nullptr;
}

// Of what is in force, or on trial.
const RateWindows& WindowsOf(const State& state) {
  if (const Trial* const trial = TrialOf(state)) return trial->windows();
  const auto* const resting = std::get_if<Resting>(&state);
  return resting ? resting->windows : std::get<Observing>(state).windows;
}

// Whether what leaves the ops was begun after the last change.
bool IsSettled(const State& state) {
  if (const Trial* const trial = TrialOf(state)) return trial->flushed();
  const auto* const resting = std::get_if<Resting>(&state);
  return resting ? resting->settling.done() : std::get<Observing>(state).settling.done();
}

}  // namespace

AutoTune::AutoTune(const AutoTuneSettings& settings)
    : settings_(settings), state_(Observing(settings)), verdict_(settings) {}

Decision AutoTune::Decide(const Snapshot& seen) {
  if (seen.graph == nullptr || seen.graph->ops.empty()) return {};
  if (!known_ || !known_->observer.IsOf(seen)) Begin(seen);
  SLUICE_CHECK(known_);
  known_->view.reset();
  Decision decision;
  if (const auto now = known_->observer.Observe(seen)) {
    Learn(*now, seen);
    decision = Take({seen, now->interval});
  }
  Explain(seen, decision);
  return decision;
}

std::optional<Forecast> AutoTune::Foresee(const Snapshot& seen, const std::vector<KnobChange>& changes) {
  if (!known_ || !known_->looked || !known_->observer.IsOf(seen)) return std::nullopt;
  known_->view.reset();
  Forecast forecast = autotune::Foresee(known_->Look(seen)->planner, told_, changes);
  known_->view.reset();
  return forecast;
}

std::vector<Belief> AutoTune::DebugState() const {
  return known_ ? ColumnsOf(*known_, state_, WindowsOf(state_).Summary()) : std::vector<Belief>();
}

void AutoTune::Begin(const Snapshot& seen) {
  if (known_) {
    if (const auto* const trying = std::get_if<Trying>(&state_)) Abandon(*trying, *known_);
    known_->AbandonSetAside();
  }
  known_.emplace(seen, journal_, settings_);
  state_ = Observing(settings_);
}

// What a phase needs that was never seen before is not known yet: nothing of before is of use.
void AutoTune::Follow(Turn turn) {
  SLUICE_CHECK(known_);
  const std::size_t phase = known_->observer.phase();
  known_->watch.Turn(phase);
  if (turn == Turn::kFirst) {
    if (auto* const trying = std::get_if<Trying>(&state_)) {
      SetAside(std::move(*trying), *known_);
      state_ = Observing(settings_);
    } else if (auto* const resting = std::get_if<Resting>(&state_)) {
      state_ = Observing(resting->settling, RateWindows(settings_));
    }
  }
}

// The rates that are spoken of are those of the present phase, also where the state has just begun.
void AutoTune::ShowPhase() {
  SLUICE_CHECK(known_);
  const std::size_t phase = known_->observer.phase();
  if (auto* const trying = std::get_if<Trying>(&state_)) return trying->trial.Turn(phase);
  if (auto* const resting = std::get_if<Resting>(&state_)) return resting->windows.Turn(phase);
  std::get<Observing>(state_).windows.Turn(phase);
}

void AutoTune::Learn(const Observation& now, const Snapshot& seen) {
  SLUICE_CHECK(known_);
  if (now.turn != Turn::kNone) Follow(now.turn);
  if (TrialOf(state_) == nullptr) {
    if (auto resumed = Resume(*known_, seen)) state_ = std::move(*resumed);
  }
  ShowPhase();
  const bool curves = !std::holds_alternative<Resting>(state_);
  if (now.usable && IsSettled(state_)) known_->estimates.Add(now.interval, curves);
}

Decision AutoTune::Take(const Moment& now) {
  SLUICE_CHECK(known_);
  if (now.seen.finished || now.interval.state == Cleanliness::kBroken) return {};
  if (journal_.ChangedByOthers(now.seen)) {
    if (const auto* const trying = std::get_if<Trying>(&state_)) Abandon(*trying, *known_);
    state_ = Reopened(*known_, now.seen);
    return {};
  }
  Step step = std::visit([&](auto& state) { return StepOf(state, *known_, now); }, state_);
  if (step.next) state_ = std::move(*step.next);
  return std::move(step.decision);
}

// The rate to speak of while no window of the present setting has been seen.
RateSummary AutoTune::Told(const RateSummary& measured) const {
  SLUICE_CHECK(known_);
  if (measured.windows > 0) return measured;
  const Trial* const trial = TrialOf(state_);
  if (trial != nullptr && trial->plan().phase == known_->observer.phase()) return trial->plan().before;
  if (told_.windows > 0) return told_;
  return WindowsOf(state_).Glimpse(known_->observer.finest_visits()).value_or(told_);
}

void AutoTune::Explain(const Snapshot& seen, Decision& decision) {
  SLUICE_CHECK(known_);
  decision.at = seen.at;
  const RateSummary measured = WindowsOf(state_).Recent();
  if (decision.id == 0 && TrialOf(state_) == nullptr) journal_.NoteRate(measured);
  decision.outcomes = journal_.TakeOutcomes();
  if (!known_->looked) {
    decision.verdict = verdict_.Show(StillMeasuring(seen, known_->observer.since()), seen.at, true);
    return;
  }
  const auto view = known_->Look(seen);
  told_ = Told(measured);
  decision.verdict = verdict_.Show(
      Diagnose({seen, view->estimate, view->planner, told_, known_->short_of_memory}, settings_), seen.at,
      decision.id != 0);
}

}  // namespace sluice::autotune

#include "control/auto_tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/wording.h"
#include "observe/visits.h"
#include "propose/first_look.h"
#include "sluice/base/text.h"

namespace sluice::autotune {
namespace {

constexpr double kShortestLook = 0.05;  // seconds; too little happens in less
constexpr int kEpochTurnsInARow = 3;    // then epochs are shorter than intervals: their turns are normal
constexpr std::size_t kWindowsBeforeTrim = 5;
constexpr std::size_t kPatientWindows = 20;  // to see a small gain through the noise
constexpr double kUrgentGain = 0.5;          // is worth a plan after so many windows ...
constexpr double kUrgentWindows = 2;         // ... and twice of it after one
constexpr double kShiftGain = 0.2;           // is worth a plan by what the interval of an alarm has shown
constexpr double kSpare = 0.8;               // utilisation of an op that holds nobody up
constexpr double kClearlyWorse = 0.8;  // than before: a trial's end is awaited, whatever is promised next

}  // namespace

AutoTune::AutoTune(const AutoTuneSettings& settings)
    : settings_(settings),
      windows_(settings),
      trim_(settings),
      second_thoughts_(settings),
      rest_(settings.rest),
      verdict_(settings) {}

Decision AutoTune::Decide(const Snapshot& seen) {
  Decision decision;
  view_.reset();
  if (!previous_ || previous_->graph != seen.graph || seen.graph == nullptr) {
    Restart(seen);
    if (!previous_) return decision;
  }
  Interval interval = Between(*previous_, seen);
  if (interval.state == Cleanliness::kBroken || interval.seconds >= kShortestLook) {
    previous_ = seen;
    pauses_.Fold(interval);
    FollowPhase(interval);
    Learn(interval);
    visits_ = Visits(seen);
    decision = Step({seen, interval});
  }
  Finish(seen, decision);
  return decision;
}

void AutoTune::Restart(const Snapshot& seen) {
  if (seen.graph == nullptr || seen.graph->ops.empty()) return;
  const std::size_t ops = seen.ops.size();
  Abandon();
  const Snapshot start = StartOf(seen);
  previous_ = seen.at - start.at <= settings_.fresh ? start : seen;
  visits_ = Visits(seen);
  finest_ = FinestOp(visits_);
  phases_ = PhasesOf(*seen.graph);
  phase_now_ = 0;
  visited_.assign(phases_.size(), false);
  expectation_.Accept(seen);
  stage_ = Stage::kObserving;
  started_ = quiet_since_ = previous_->at;
  looked_ = false;
  settling_ = {};
  pauses_ = {};
  estimates_.emplace(*seen.graph, settings_);
  turnover_ = Turnover(ops);
  windows_.Reset();
  trim_ = Trim(settings_);
  trimmed_ = false;
  watch_.emplace(ops, settings_);
  failures_ = Failures(ops);
  descent_ = Descent(InForce(seen).workers);
  rest_ = settings_.rest;
}

// Rates of two phases cannot be compared: a trial that a turn interrupts is over.
void AutoTune::FollowPhase(Interval& interval) {
  if (phases_.size() == 1 || interval.state == Cleanliness::kBroken) return;
  const auto phase = PhaseOf(phases_, interval);
  if (!phase && interval.state == Cleanliness::kClean) interval.state = Cleanliness::kEpochTurn;
  if (!phase) return;
  const bool first = !visited_[*phase];
  visited_[*phase] = true;
  if (*phase == phase_now_ && !first) return;
  phase_now_ = *phase;
  watch_->Turn(*phase);
  windows_.Reset();
  if (trial_ && trial_->flushed()) Abandon();
  if (first || (stage_ == Stage::kTrying && !trial_)) stage_ = Stage::kObserving;
}

void AutoTune::Learn(Interval& interval) {
  const bool mixed = turnover_.Add(interval);
  epoch_turns_ = interval.state == Cleanliness::kEpochTurn ? epoch_turns_ + 1 : 0;
  if (epoch_turns_ > kEpochTurnsInARow) interval.state = Cleanliness::kClean;
  if (mixed && interval.state == Cleanliness::kClean) interval.state = Cleanliness::kResized;
  const bool settled = trial_ ? trial_->flushed() : settling_.done();
  const bool usable = interval.state == Cleanliness::kClean || interval.state == Cleanliness::kEpochTurn;
  if (settled && usable && !mixed) estimates_->Add(interval, stage_ != Stage::kResting);
}

Decision AutoTune::Step(const Moment& now) {
  if (now.seen.finished || now.interval.state == Cleanliness::kBroken) return {};
  if (expectation_.ChangedByOthers(now.seen)) {
    Reopen(now.seen);
    return {};
  }
  switch (stage_) {
    case Stage::kObserving:
      return Observe(now);
    case Stage::kTrying:
      return Try(now);
    case Stage::kResting:
      return Rest(now);
  }
  return {};
}

Decision AutoTune::Observe(const Moment& now) {
  if (!settling_.done()) {
    settling_.Add(now.interval);
    return {};
  }
  if (now.interval.state == Cleanliness::kClean) windows_.Add(now.interval, finest_, visits_[finest_]);
  if (!looked_ && !LookedLongEnough(now.seen)) return {};
  looked_ = true;
  return Consider(now.seen);
}

bool AutoTune::LookedLongEnough(const Snapshot& seen) const {
  return LongEnough({.looked = seen.at - started_,
                     .measured = Measured(),
                     .estimate = Estimate(),
                     .visits = visits_,
                     .finest = finest_,
                     .consumer_items = seen.consumer.items,
                     .sizes_matter = seen.budget.memory.count > 0},
                    settings_);
}

// Before the first window has closed: what can be said of it.
RateSummary AutoTune::Measured() const {
  const RateSummary summary = windows_.Summary();
  if (summary.windows > 0 || last_id_ > 0) return summary;
  return windows_.Glimpse(visits_[finest_]).value_or(summary);
}

// What the present workers make. After a shift that is not what was measured before it, and in the first
// windows items fill buffers: ops make them faster than they ever leave.
RateSummary AutoTune::Present(const Planner& planner, bool shifted) const {
  const double modelled = planner.model().With(planner.present().workers).rate;
  if (shifted) return {1, modelled, settings_.prior_noise};
  RateSummary measured = Measured();
  if (measured.windows < kFewWindows && last_id_ == 0) measured.mean = std::min(measured.mean, modelled);
  return measured;
}

PipelineEstimate AutoTune::Estimate() const {
  PipelineEstimate estimate = estimates_->Get(visits_);
  estimate.phases = phases_;
  estimate.phase = phase_now_;
  return estimate;
}

std::shared_ptr<const AutoTune::View> AutoTune::Look(const Snapshot& seen) const {
  if (!view_ || view_->version != estimates_->version() || view_->caps != failures_.caps()) {
    auto view = std::make_shared<View>(seen, Estimate(), failures_.caps(), settings_);
    view->version = estimates_->version();
    view_ = std::move(view);
  }
  return view_;
}

bool AutoTune::OverBudget(const Planner& planner) const {
  return planner.Held(planner.present()) > planner.MemoryLimit();
}

bool AutoTune::StandsOut(double gain, const RateSummary& measured) const {
  if (gain < settings_.worthwhile_gain && measured.windows < kPatientWindows) return false;
  return gain >= 2 * measured.noise / std::sqrt(static_cast<double>(measured.windows));
}

// So much more that few windows are enough to see it. The first plan cannot wait in any case.
bool AutoTune::Urgent(double gain, const RateSummary& measured) const {
  const double doubt = std::max(1.0, kUrgentWindows / static_cast<double>(measured.windows));
  return last_id_ == 0 || gain >= doubt * kUrgentGain;
}

Decision AutoTune::Consider(const Snapshot& seen, const Shift* shift) {
  const auto view = Look(seen);
  const PipelineEstimate& estimate = view->estimate;
  const Planner& planner = view->planner;
  if (OverBudget(planner)) {
    Decision fitted = FitMemory(seen, planner);
    if (fitted.id != 0) return fitted;
  }
  const RateSummary measured = Present(planner, shift != nullptr);
  if (measured.windows == 0 || measured.mean <= 0) return {};
  const bool few = measured.windows < kFewWindows;
  Plan plan = planner.Grow();
  short_of_memory_ = plan.short_of_memory;
  const bool served =
      shift == nullptr && estimate.starved < settings_.served.value && std::isfinite(estimate.demand);
  const double gain = served ? 0 : planner.Hoped(measured) / measured.mean - 1;
  if (plan.changes.empty() && gain >= settings_.worthwhile_gain) plan = planner.Nudge(measured);
  if (few && !(shift ? gain >= kShiftGain : Urgent(gain, measured))) return {};
  const double hoped = (1 + gain) * measured.mean;
  plan.predicted = failures_.Believed(plan.feeds ? hoped : std::min(hoped, plan.predicted), measured.mean);
  const double predicted = plan.predicted / measured.mean - 1;
  // In scarce memory buffers have a say, of which the model knows too little for small gains; and what the
  // first look did not see of them is no reason to disturb the run later.
  const bool once_more = rest_ > settings_.rest;
  const double least = plan.short_of_memory || once_more ? settings_.worthwhile_gain : settings_.small_gain;
  if (plan.changes.empty() || predicted < least || failures_.Includes(plan.changes) ||
      failures_.in_a_row() >= settings_.most_failures) {
    if (few) return {};
    if (!served) {
      if (Decision descent = Descend(seen, planner, measured); descent.id != 0) return descent;
    }
    BeginRest(seen.at);
    return {};
  }
  const bool at_first = last_id_ == 0 && plan.harmless && !settings_.advise;
  if (!at_first && !StandsOut(predicted, measured)) {
    if (measured.windows >= kPatientWindows) BeginRest(seen.at);
    return {};
  }
  if (plan.makes_room)
    return Force(seen, plan, measured.mean, "makes room in memory first: " + InWords(seen, plan.changes));
  const DiagnosisInput facts{seen, estimate, planner, measured, plan.short_of_memory};
  std::string because =
      fmt::format("{}; {} {} predicted to give {}",
                  shift ? InWords(*seen.graph, *shift, measured.mean) : Reason(facts, settings_),
                  InWords(seen, plan.changes), plan.changes.size() == 1 ? "is" : "are",
                  InRows(*seen.graph, plan.predicted));
  return Start(seen, std::move(plan), TrialKind::kGrowth, measured, std::move(because));
}

Decision AutoTune::FitMemory(const Snapshot& seen, const Planner& planner) {
  const Plan plan = planner.Fit();
  if (plan.changes.empty()) return {};
  std::string because = fmt::format("buffers and workers could hold {}, the byte budget is {}: {}",
                                    FormatBytes({static_cast<std::int64_t>(planner.Held(planner.present()))}),
                                    FormatBytes(seen.budget.memory), InWords(seen, plan.changes));
  return Force(seen, plan, Measured().mean, std::move(because));
}

// Without a trial: it has to be, whatever comes of it.
Decision AutoTune::Force(const Snapshot& seen, const Plan& plan, double before, std::string because) {
  if (settings_.advise) return Advise(seen, plan, std::move(because));
  Decision decision = Act(seen, plan.changes, std::move(because));
  decision.before = {before};
  decision.predicted = {plan.predicted};
  unverified_ = decision.id;
  settling_ = Settling(ItemsToSettle(seen, visits_, finest_, false), finest_, settings_);
  windows_.Reset();
  return decision;
}

Decision AutoTune::Start(const Snapshot& seen, Plan plan, TrialKind kind, RateSummary before,
                         std::string because) {
  if (settings_.advise) return Advise(seen, plan, std::move(because));
  const PipelineEstimate estimate = Estimate();
  Decision decision = Act(seen, plan.changes, std::move(because));
  decision.before = {before.mean};
  decision.predicted = {plan.predicted};
  // While buffers fill, the ops make more than the consumer takes.
  if (kind == TrialKind::kTrim) before.mean = std::min(before.mean, estimate.demand);
  trial_.emplace(TrialPlan{.decision = decision.id,
                           .kind = kind,
                           .changes = std::move(plan.changes),
                           .before = before,
                           .predicted = plan.predicted,
                           .buffers_fill = plan.predicted >= estimate.demand,
                           .served = kind == TrialKind::kTrim && estimate.starved < settings_.served.value,
                           .harmless = plan.harmless,
                           .latest = LatestArrival(estimate)},
                 seen.at, settings_);
  stage_ = Stage::kTrying;
  trimmed_ = kind == TrialKind::kTrim;
  return decision;
}

Decision AutoTune::Try(const Moment& now) {
  // What was planned for less demand is over when it returns, whatever the buffers still cover.
  if (trial_->plan().kind == TrialKind::kTrim && now.interval.state == Cleanliness::kClean) {
    const auto shift = watch_->AddDemand(now.interval);
    if (shift && shift->ratio > 1) return Respond(now, *shift);
  }
  switch (trial_->Add(now.seen, now.interval, visits_, finest_)) {
    case TrialStep::kRunning:
      if (!Outdated(now.seen)) return {};
      Keep(now.seen);
      return Consider(now.seen);
    case TrialStep::kKeep:
      Keep(now.seen);
      return {};
    case TrialStep::kRollBack:
      if (ToBlame()) return RollBack(now.seen, Fate::kRolledBack);
      Keep(now.seen);
      return {};
    case TrialStep::kRefused:
      return RollBack(now.seen, Fate::kRejected);
  }
  return {};
}

// Where the consumer gets what it can take no growth could show more: the rate before was that of buffers
// that filled. And an op that has workers to spare after a trim as well has cost the run nothing.
bool AutoTune::ToBlame() const {
  const PipelineEstimate estimate = Estimate();
  const double measured = trial_->windows().Summary().mean;
  if (trial_->plan().kind == TrialKind::kDescent) return true;
  if (trial_->plan().kind == TrialKind::kGrowth)
    return measured < (1 - settings_.worthwhile_gain) * estimate.demand;
  return std::ranges::any_of(trial_->plan().changes, [&](const KnobChange& change) {
    return change.knob.kind != KnobKind::kWorkers || estimate.ops[change.knob.target].utilisation > kSpare;
  });
}

// Items have turned out, or have become, larger than when it was planned.
bool AutoTune::TakesTooMuch(const Planner& planner) const {
  return OverBudget(planner) && !planner.Fit().changes.empty();
}

// What was learnt from the trial itself promises so much more, or needs so much less memory, that its end
// need not be awaited.
bool AutoTune::Outdated(const Snapshot& seen) const {
  const auto view = Look(seen);
  const Planner& planner = view->planner;
  if (trial_->flushed() && TakesTooMuch(planner)) return true;
  const RateSummary measured = trial_->windows().Summary();
  if (trial_->plan().kind != TrialKind::kGrowth || measured.windows == 0) return false;
  if (measured.mean < kClearlyWorse * trial_->plan().LeastBefore(settings_)) return false;
  const Plan plan = planner.Grow();
  const double predicted = failures_.Believed(plan.predicted, measured.mean);
  return !plan.changes.empty() && predicted >= (1 + kUrgentGain) * measured.mean &&
         !failures_.Includes(plan.changes);
}

void AutoTune::Keep(const Snapshot& seen) {
  windows_ = trial_->windows();
  quiet_since_ = seen.at;
  Conclude(trial_->plan().decision, Fate::kKept, windows_.Summary().mean);
  if (trial_->plan().kind == TrialKind::kTrim) {
    trim_.Kept(seen.at);
    if (!trial_->plan().served) failures_.NoteUseless(trial_->plan(), Estimate());
    BeginRest(seen.at);
  } else {
    if (trial_->plan().kind == TrialKind::kDescent) failures_.NoteWorse(trial_->plan());
    Judge();
    stage_ = Stage::kObserving;
  }
  trial_.reset();
}

// Whether what was kept has given what it promised.
void AutoTune::Judge() {
  const RateSummary measured = windows_.Summary();
  if (measured.windows == 0) return;
  const TrialPlan& plan = trial_->plan();
  const double gain = measured.mean / plan.before.mean - 1;
  const double error = 2 * measured.noise / std::sqrt(static_cast<double>(measured.windows));
  if (plan.kind == TrialKind::kGrowth) return failures_.Judge(plan, gain, error);
  if (plan.predicted > plan.before.mean || gain > error) descent_.Gained(plan.changes.front());
}

Decision AutoTune::RollBack(const Snapshot& seen, Fate fate) {
  const TrialPlan plan = trial_->plan();
  const double measured = trial_->windows().Summary().mean;
  Conclude(plan.decision, fate, fate == Fate::kRejected ? std::nullopt : std::optional(measured));
  failures_.Add(plan);
  if (plan.kind == TrialKind::kTrim) trim_.GivenBack(seen.at);
  trimmed_ = false;
  auto reverse = Look(seen)->planner.Safe(trial_->Reverse(seen));
  trial_.reset();
  quiet_since_ = seen.at;
  stage_ = Stage::kObserving;
  settling_ = Settling(ItemsToSettle(seen, visits_, finest_, false), finest_, settings_);
  windows_.Reset();
  if (reverse.empty()) return {};
  std::string because = fate == Fate::kRejected
                            ? fmt::format("the change was not applied within {}: withdrawn",
                                          FormatDuration(settings_.refused_after))
                            : fmt::format("measured {} instead of the predicted {} ({} before): undone, {}",
                                          InRows(*seen.graph, measured), InRows(*seen.graph, plan.predicted),
                                          InRows(*seen.graph, plan.before.mean), InWords(seen, reverse));
  Decision decision = Act(seen, std::move(reverse), std::move(because));
  decision.before = {measured};
  decision.predicted = {plan.before.mean};
  unverified_ = decision.id;
  return decision;
}

void AutoTune::BeginRest(MonoTime now) {
  const bool trimmed = trial_ && trial_->plan().kind == TrialKind::kTrim;
  stage_ = Stage::kResting;
  resting_since_ = now;
  at_rest_ = windows_.Summary();
  windows_.Reset();  // buffers may have been filling until now
  trimmed ? watch_->ArmAfterTrim() : watch_->Arm();
}

Decision AutoTune::Rest(const Moment& now) {
  if (!settling_.done()) settling_.Add(now.interval);
  if (now.interval.state != Cleanliness::kClean || !settling_.done()) return {};
  const auto rate = windows_.Add(now.interval, finest_, visits_[finest_]);
  if (const auto shift = watch_->Add(now.interval, rate)) return Respond(now, *shift);
  if (now.seen.at - resting_since_ >= rest_) {
    rest_ = std::min<Nanos>(2 * rest_, settings_.longest_rest);
    failures_.EndRow();
    if (rest_ >= settings_.longest_rest) failures_.Forget();
    stage_ = Stage::kObserving;
    return {};
  }
  const auto view = Look(now.seen);
  const PipelineEstimate& estimate = view->estimate;
  const Planner& planner = view->planner;
  if (TakesTooMuch(planner)) {
    stage_ = Stage::kObserving;
    return {};
  }
  const RateSummary measured = windows_.Summary();
  if (failures_.in_a_row() < settings_.most_failures &&
      second_thoughts_.SeesAClearGain(planner, measured, estimate.starved)) {
    stage_ = Stage::kObserving;
    return {};
  }
  if (measured.windows < kWindowsBeforeTrim) return {};
  if (Decision attempt = Explore(now.seen, planner); attempt.id != 0) return attempt;
  auto plan = trim_.Propose(planner, measured.mean, now.seen.at, quiet_since_);
  if (!plan || failures_.Includes(plan->changes)) return {};
  std::string because =
      fmt::format("{} needs less than it has: {} {} predicted to be enough",
                  InRows(*now.seen.graph, planner.model().Optimum().rate), InWords(now.seen, plan->changes),
                  plan->changes.size() == 1 ? "is" : "are");
  return Start(now.seen, std::move(*plan), TrialKind::kTrim, measured, std::move(because));
}

// A new cost or demand says at once what to do; a new rate alone has to be looked into.
Decision AutoTune::Respond(const Moment& now, const Shift& shift) {
  const bool returned = trimmed_ && shift.what == Watched::kDemand && shift.ratio > 1;
  if (returned) trim_.GivenBack(now.seen.at);
  trimmed_ = false;
  if (shift.what == Watched::kCost) estimates_->Reanchor();
  Reopen(now.seen);
  if (shift.what == Watched::kRate) return {};
  if (shift.what == Watched::kDemand) estimates_->ForgetConsumer();
  estimates_->Add(now.interval, false);
  return Consider(now.seen, &shift);
}

Decision AutoTune::Descend(const Snapshot& seen, const Planner& planner, const RateSummary& measured) {
  const bool patient = seen.at - quiet_since_ >= settings_.explore_after;
  auto plan = descent_.Propose(planner, measured.mean, patient);
  if (!plan || plan->changes.empty() || plan->makes_room || failures_.Includes(plan->changes)) return {};
  std::string because = fmt::format("fewer workers were never tried, and more may slow each other down: {}",
                                    InWords(seen, plan->changes));
  return Start(seen, std::move(*plan), TrialKind::kDescent, measured, std::move(because));
}

Decision AutoTune::Explore(const Snapshot& seen, const Planner& planner) {
  auto plan = second_thoughts_.Explore(planner, seen.at, quiet_since_);
  if (!plan || failures_.Includes(plan->changes)) return {};
  std::string because = fmt::format("one worker more was never tried: {} could give up to {}",
                                    InWords(seen, plan->changes), InRows(*seen.graph, plan->predicted));
  return Start(seen, std::move(*plan), TrialKind::kGrowth, windows_.Summary(), std::move(because));
}

void AutoTune::Abandon() {
  if (trial_) Conclude(trial_->plan().decision, Fate::kKept, std::nullopt);
  trial_.reset();
}

void AutoTune::Reopen(const Snapshot& seen) {
  Abandon();
  quiet_since_ = seen.at;
  expectation_.Accept(seen);
  stage_ = Stage::kObserving;
  settling_ = Settling(ItemsToSettle(seen, visits_, finest_, false), finest_, settings_);
  windows_.Reset();
  estimates_->Fade();
  failures_.Forget();
  second_thoughts_.Reopen();
  descent_.Reopen();
  rest_ = settings_.rest;
  said_.clear();
}

Decision AutoTune::Act(const Snapshot& seen, std::vector<KnobChange> changes, std::string because) {
  Decision decision;
  decision.id = ++last_id_;
  decision.because = std::move(because);
  expectation_.Ask(seen, changes);
  decision.changes = std::move(changes);
  estimates_->Fade();
  return decision;
}

Decision AutoTune::Advise(const Snapshot& seen, const Plan& plan, std::string because) {
  BeginRest(seen.at);
  if (SameTargets(said_, plan.changes)) return {};
  said_ = plan.changes;
  Decision decision;
  decision.id = ++last_id_;
  decision.advice = true;
  decision.changes = plan.changes;
  decision.because = std::move(because);
  decision.before = {windows_.Summary().mean};
  decision.predicted = {plan.predicted};
  Conclude(decision.id, Fate::kAdvised, std::nullopt);
  return decision;
}

void AutoTune::Conclude(std::uint64_t decision, Fate fate, std::optional<double> measured) {
  outcomes_.push_back({decision, fate, measured ? std::optional(Rate{*measured}) : std::nullopt});
}

// The rate to speak of while too few windows of the present setting have been seen.
RateSummary AutoTune::Told(const RateSummary& measured) const {
  if (measured.windows > 0) return measured;
  const RateSummary before = trial_ ? trial_->plan().before : at_rest_;
  return before.windows > 0 ? before : windows_.Glimpse(visits_[finest_]).value_or(told_);
}

void AutoTune::Finish(const Snapshot& seen, Decision& decision) {
  decision.at = seen.at;
  const RateSummary measured = trial_ ? trial_->windows().Recent() : windows_.Recent();
  if (unverified_ && decision.id == 0 && !trial_ && measured.windows >= kFewWindows) {
    Conclude(*std::exchange(unverified_, std::nullopt), Fate::kKept, measured.mean);
  }
  decision.outcomes = std::exchange(outcomes_, {});
  if (!looked_ || !estimates_) {
    decision.verdict = verdict_.Show(StillMeasuring(seen, started_), seen.at, true);
    return;
  }
  const auto view = Look(seen);
  const PipelineEstimate& estimate = view->estimate;
  const Planner& planner = view->planner;
  told_ = Told(measured);
  decision.verdict = verdict_.Show(Diagnose({seen, estimate, planner, told_, short_of_memory_}, settings_),
                                   seen.at, decision.id != 0);
}

}  // namespace sluice::autotune

#include "experiment/trial.h"

#include <algorithm>
#include <cmath>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kTypicalWindows = 2;  // until a clear case is decided
constexpr double kEnoughToMiss = 12;   // items
constexpr double kCollapse = 0.4;
constexpr double kAllTheTime = 0.8;
constexpr double kMostHearsay = 0.9;
constexpr double kLongPhase = 3;  // seconds; phases that come sooner are one pipeline's pace

SequentialTest TestFor(const TrialPlan& plan, const AutoTuneSettings& settings) {
  // The rate before is itself a mean of few windows.
  const double windows = std::max<double>(1, static_cast<double>(plan.before.windows));
  const double noise = plan.before.noise * std::sqrt(1 + kTypicalWindows / windows);
  const double promised = plan.predicted / plan.before.mean - 1;
  if (plan.kind == TrialKind::kTrim)
    return {1 - settings.loss_to_see, 1, noise, settings.test_error, settings.most_windows};
  if (plan.kind == TrialKind::kDescent)
    return {1 - std::max(promised, settings.loss_to_see), 1 + promised, noise, settings.test_error,
            settings.most_windows};
  const double gain = std::clamp(promised, settings.small_gain, settings.gain_to_see);
  const double no_gain = plan.LeastBefore(settings) / plan.before.mean;
  return {no_gain, 1 + gain, noise, settings.test_error, settings.most_windows};
}

}  // namespace

double TrialPlan::LeastBefore(const AutoTuneSettings& settings) const {
  const double hearsay = before.windows > 1 || !On(Rule::kHearsay) ? 0 : before.noise - settings.prior_noise;
  return before.mean * (1 - std::clamp(hearsay, 0.0, kMostHearsay));
}

Trial::Trial(TrialPlan plan, MonoTime started, const AutoTuneSettings& settings)
    : plan_(std::move(plan)),
      settings_(settings),
      started_(started),
      phase_(plan_.phase),
      windows_(settings),
      test_(TestFor(plan_, settings)) {
  windows_.Turn(phase_);
}

void Trial::Turn(std::size_t phase) {
  phase_ = phase;
  windows_.Turn(phase);
}

bool Trial::Applied(const Snapshot& seen) const {
  return std::ranges::all_of(plan_.changes, [&](const KnobChange& change) {
    const Knob* knob = Find(seen, change.knob);
    return knob != nullptr && knob->value == change.to;
  });
}

bool Trial::AwaitsEpoch(const Snapshot& seen) const {
  return std::ranges::any_of(plan_.changes, [&](const KnobChange& change) {
    const Knob* knob = Find(seen, change.knob);
    return knob != nullptr && knob->takes_effect != TakesEffect::kLive;
  });
}

TrialStep Trial::AwaitForce(const Snapshot& seen, std::size_t finest) {
  applied_ = Applied(seen);
  if (applied_) {
    settling_ = Settling(static_cast<double>(seen.ops[finest].workers), finest, settings_);
    return TrialStep::kRunning;
  }
  const bool refused = seen.at - started_ > settings_.refused_after && !AwaitsEpoch(seen);
  return refused ? TrialStep::kRefused : TrialStep::kRunning;
}

void Trial::Note(const Interval& interval) {
  seconds_ += interval.seconds;
  const double time = interval.consumer_busy + interval.consumer_starved;
  starved_ = std::max(0.0, starved_ + interval.consumer_starved - settings_.loss_to_see * time);
  work_.resize(interval.ops.size());
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const OpInterval& op = interval.ops[i];
    work_[i].items += op.items;
    work_[i].busy += op.busy;
    work_[i].alive += op.busy + op.starved + op.backed_up;
  }
}

// Far less has come out than before, in a time in which that shows, settled or not. And some op makes that
// little although it works all the time: otherwise a slow item just holds up the others, in order.
bool Trial::Collapsed(const std::vector<double>& visits, std::size_t finest) const {
  const double expected = plan_.LeastBefore(settings_) * seconds_;
  const auto far_less = [&](std::size_t i) { return work_[i].items < kCollapse * expected * visits[i]; };
  const bool in_time =
      On(Rule::kCollapse) && expected * visits[finest] >= kEnoughToMiss && seconds_ >= plan_.latest;
  if (!in_time || !far_less(finest)) return false;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    if (work_[i].busy >= kAllTheTime * work_[i].alive && far_less(i)) return true;
  }
  return false;
}

// A consumer that lacked nothing pays for every moment that the test takes.
bool Trial::CostsTooMuch() const {
  return On(Rule::kTrimCost) && plan_.kind == TrialKind::kTrim && plan_.served &&
         starved_ > Seconds(settings_.trim_may_cost);
}

TrialStep Trial::Add(const Snapshot& seen, const Interval& interval, const std::vector<double>& visits,
                     std::size_t finest) {
  if (!applied_) return AwaitForce(seen, finest);
  elsewhere_ = phase_ == plan_.phase ? 0 : elsewhere_ + interval.seconds;
  if (elsewhere_ > kLongPhase) return TrialStep::kOver;
  const bool usual = interval.state == Cleanliness::kClean || interval.state == Cleanliness::kResized;
  const bool here = phase_ == plan_.phase;
  if (usual && here) Note(interval);
  if (usual && here && (Collapsed(visits, finest) || CostsTooMuch())) return TrialStep::kRollBack;
  if (!settling_.done()) {
    settling_.Add(interval);
    return TrialStep::kRunning;
  }
  if (interval.state != Cleanliness::kClean || !here) return TrialStep::kRunning;
  const auto window = windows_.Add(interval, finest, visits[finest]);
  if (!window) return TrialStep::kRunning;
  switch (test_.Add(window->rate / plan_.before.mean, window->seconds)) {
    case TestResult::kGood:
      return TrialStep::kKeep;
    case TestResult::kBad:
      return TrialStep::kRollBack;
    case TestResult::kOpen:
      break;
  }
  return TrialStep::kRunning;
}

std::vector<KnobChange> Trial::Reverse(const Snapshot& seen) const {
  std::vector<KnobChange> reverse;
  for (const KnobChange& change : plan_.changes) {
    const Knob* knob = Find(seen, change.knob);
    if (knob == nullptr || knob->holder == Holder::kUser) continue;
    reverse.push_back({change.knob, knob->value, std::clamp(change.from, knob->min, knob->max)});
  }
  return reverse;
}

}  // namespace sluice::autotune

#include "experiment/failures.h"

#include <algorithm>
#include <cmath>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kBetter = 0.01;  // than what came after it: an undone change is worth another try

int Midway(std::int64_t good, std::int64_t bad) {
  return static_cast<int>(std::lround(std::sqrt(static_cast<double>(good) * static_cast<double>(bad))));
}

}  // namespace

void Failures::Add(const TrialPlan& plan, const RateSummary& measured) {
  undone_ = measured;
  undone_in_ = plan.phase;
  if (plan.kind == TrialKind::kGrowth || plan.kind == TrialKind::kTrim) ++in_a_row_;
  tried_.push_back(plan.changes);
  if (plan.kind != TrialKind::kGrowth) return;
  for (const KnobChange& change : plan.changes) {
    if (!On(Rule::kFailureCaps) || change.knob.kind != KnobKind::kWorkers || change.to <= change.from)
      continue;
    const std::size_t op = change.knob.target;
    bad_[op] = std::min(bad_[op], static_cast<int>(change.to));
    caps_[op] = std::min(caps_[op], Midway(change.from, change.to));
  }
}

bool Failures::TakeBack(const RateSummary& now, std::size_t phase) {
  if (!On(Rule::kTakeBack) || tried_.empty() || phase != undone_in_ || undone_.windows < kFewWindows ||
      now.windows < kFewWindows)
    return false;
  const double doubt = 2 * std::sqrt(undone_.Variance() + now.Variance());
  if (undone_.mean < (1 + std::max(kBetter, doubt)) * now.mean) return false;
  undone_ = {};
  const std::vector<KnobChange> changes = std::move(tried_.back());
  tried_.pop_back();
  const auto same = [&](const auto& before) { return SameTargets(before, changes); };
  if (std::ranges::any_of(taken_back_, same)) return false;
  taken_back_.push_back(changes);
  return true;
}

void Failures::Judge(const TrialPlan& plan, double gain, double error) {
  for (const KnobChange& change : plan.changes) {
    if (change.knob.kind != KnobKind::kWorkers || bad_[change.knob.target] == kNoCap) continue;
    int& cap = caps_[change.knob.target];
    cap = std::max(cap, Midway(change.to, bad_[change.knob.target]));
  }
  const double promised = plan.predicted / plan.before.mean - 1;
  const bool disappoints = gain < promised / 2 && promised - gain > error;
  in_a_row_ = disappoints ? in_a_row_ + 1 : 0;
}

double Failures::Believed(double predicted, double present) const {
  return present + std::ldexp(predicted - present, On(Rule::kTrust) ? -in_a_row_ : 0);
}

void Failures::NoteUseless(const TrialPlan& trim, const PipelineEstimate& estimate) {
  for (const KnobChange& change : trim.changes) {
    if (!On(Rule::kUselessTrim) || change.knob.kind != KnobKind::kWorkers ||
        !estimate.ops[change.knob.target].curve.Contended())
      continue;
    int& cap = caps_[change.knob.target];
    cap = std::min(cap, static_cast<int>(change.to));
  }
}

bool Failures::Includes(const std::vector<KnobChange>& changes) const {
  return On(Rule::kFailureMemory) &&
         std::ranges::any_of(tried_, [&](const auto& tried) { return SameTargets(tried, changes); });
}

}  // namespace sluice::autotune

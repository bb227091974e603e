#include "experiment/failures.h"

#include <algorithm>
#include <cmath>

#include "rule.h"

namespace sluice::autotune {

void Failures::Add(const TrialPlan& plan) {
  if (plan.kind == TrialKind::kGrowth || plan.kind == TrialKind::kTrim) ++in_a_row_;
  tried_.push_back(plan.changes);
  if (plan.kind != TrialKind::kGrowth) return;
  for (const KnobChange& change : plan.changes) {
    if (!On(Rule::kFailureCaps) || change.knob.kind != KnobKind::kWorkers || change.to <= change.from)
      continue;
    int& cap = caps_[change.knob.target];
    const double midway = std::sqrt(static_cast<double>(change.from) * static_cast<double>(change.to));
    cap = std::min(cap, static_cast<int>(std::lround(midway)));
  }
}

void Failures::Judge(const TrialPlan& plan, double gain, double error) {
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

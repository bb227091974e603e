#include "estimate/taken_cores.h"

#include <optional>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr double kOwnCores = 0.9;  // of the budget: below it the rest is somebody else's ...
constexpr double kQueued = 0.1;    // ... if so many workers per core are ready to run
constexpr double kStays = 0.5;     // of what was taken: as long as others have it, the belief stays

// Cores that we use or that nobody does; nullopt: it is not known how many idle.
std::optional<double> OursAndIdle(const PipelineEstimate& estimate) {
  return estimate.idle ? std::optional(estimate.cores_used + *estimate.idle) : std::nullopt;
}

// nullopt: too few of our workers are ready to tell.
std::optional<double> LeftByOthers(double budget, const PipelineEstimate& estimate) {
  const std::optional<double> ours = OursAndIdle(estimate);
  const bool enough_ready = estimate.cores_used + estimate.queued >= kOwnCores * budget;
  if (!ours || !enough_ready || estimate.queued <= kQueued * budget) return std::nullopt;
  return *ours < kOwnCores * budget ? *ours : budget;
}

}  // namespace

bool OthersTakeCores(double budget, const PipelineEstimate& estimate) {
  const double left = budget - estimate.taken;
  if (estimate.taken > 0 && estimate.cores_used >= kOwnCores * left) return true;
  return estimate.cores_used < kOwnCores * budget && estimate.queued > kQueued * budget;
}

double CoresToBeHad(double budget, const PipelineEstimate& estimate) {
  if (!On(Rule::kOthersCores)) return budget;
  return LeftByOthers(budget, estimate).value_or(budget - estimate.taken);
}

void TakenCores::Look(double budget, const PipelineEstimate& estimate) {
  if (budget != budget_) taken_ = 0;
  budget_ = budget;
  const std::optional<double> ours = OursAndIdle(estimate);
  if (const auto left = LeftByOthers(budget, estimate)) {
    taken_ = budget - *left;
  } else if (!ours || *ours > budget - kStays * taken_) {
    taken_ = 0;
  }
}

double TakenCores::believed() const {
  return On(Rule::kTakenCores) ? taken_ : 0;
}

}  // namespace sluice::autotune

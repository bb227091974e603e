#include "propose/trim.h"

#include <algorithm>

#include "rule.h"

namespace sluice::autotune {

void Trim::Note(const Setting& enough, MonoTime quiet_since) {
  if (noted_since_ != quiet_since) enough_ = enough;
  noted_since_ = quiet_since;
  for (std::size_t i = 0; i < enough.workers.size(); ++i) {
    enough_.workers[i] = std::max(enough_.workers[i], enough.workers[i]);
  }
  for (std::size_t c = 0; c < enough.capacity.size(); ++c) {
    enough_.capacity[c] = std::max(enough_.capacity[c], enough.capacity[c]);
  }
}

std::optional<Plan> Trim::Propose(const Planner& planner, double measured, MonoTime now,
                                  MonoTime quiet_since) {
  const Ceiling best = planner.model().Optimum();
  Note(planner.Enough(best.rate), quiet_since);
  const Nanos quiet = now - quiet_since;
  const bool too_late = On(Rule::kTrimRange) && quiet > settings_.trim_until;
  if (quiet < settings_.trim_after || too_late) return std::nullopt;
  if (last_ && now - *last_ < pause_) return std::nullopt;
  Plan plan = planner.Trim(enough_);
  // While buffers fill, more is made than the consumer takes.
  const double present = std::min(measured, planner.model().input().demand);
  const double needed = (1 - settings_.loss_to_see / 2) * std::max(best.rate, present);
  if (plan.changes.empty() || plan.predicted < needed) return std::nullopt;
  return plan;
}

void Trim::Kept(MonoTime now) {
  last_ = now;
  pause_ = std::max(pause_, settings_.trim_again);
}

void Trim::GivenBack(MonoTime now) {
  last_ = now;
  pause_ = std::min<Nanos>(std::max<Nanos>(2 * pause_, settings_.trim_again), settings_.longest_rest);
}

}  // namespace sluice::autotune

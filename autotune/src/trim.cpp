#include "trim.h"

#include <algorithm>

namespace sluice {

std::optional<Plan> Trim::Propose(const Planner& planner, MonoTime now, MonoTime quiet_since) const {
  if (now - quiet_since < settings_.trim_after) return std::nullopt;
  if (last_ && now - *last_ < pause_) return std::nullopt;
  const Ceiling best = planner.model().Optimum();
  const bool served = best.limit == Limit::kConsumer;
  Plan plan = planner.Trim(best.rate, served ? settings_.trim_slack : settings_.trim_slack_short);
  const double needed = (1 - settings_.loss_to_see / 2) * best.rate;
  if (plan.changes.empty() || plan.predicted < needed) return std::nullopt;
  return plan;
}

void Trim::Kept(MonoTime now) {
  last_ = now;
  pause_ = settings_.trim_again;
}

void Trim::Undone(MonoTime now) {
  last_ = now;
  pause_ = std::min<Nanos>(std::max<Nanos>(2 * pause_, settings_.trim_again), settings_.longest_rest);
}

void Trim::Reopen() {
  *this = Trim(settings_);
}

}  // namespace sluice

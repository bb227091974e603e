#include "second_thoughts.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr int kLooksInARow = 15;
constexpr std::size_t kPatientWindows = 20;  // to see a small gain through the noise

}  // namespace

bool SecondThoughts::SeesAClearGain(const Planner& planner, const RateSummary& measured, double starved) {
  if (measured.windows < kPatientWindows) return false;
  const Plan plan = planner.Grow();
  const double gain = std::min(planner.Hoped(), plan.predicted) / measured.mean - 1;
  const bool clear =
      starved >= settings_.served.value && !plan.changes.empty() && gain >= settings_.tempting_gain;
  looks_ = clear ? looks_ + 1 : 0;
  if (looks_ < kLooksInARow) return false;
  looks_ = 0;
  return true;
}

std::optional<Plan> SecondThoughts::Explore(const Planner& planner, MonoTime now, MonoTime quiet_since) {
  const MonoTime since = explored_ ? std::max(quiet_since, *explored_) : quiet_since;
  if (now - since < (explored_ ? settings_.explore_again : settings_.explore_after)) return std::nullopt;
  Plan plan = planner.OneMore();
  if (plan.changes.empty() || plan.makes_room) return std::nullopt;
  explored_ = now;
  return plan;
}

void SecondThoughts::Reopen() {
  *this = SecondThoughts(settings_);
}

}  // namespace sluice

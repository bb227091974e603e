#include "experiment/second_thoughts.h"

#include <algorithm>
#include <cmath>

namespace sluice::autotune {
namespace {

constexpr int kLooksInARow = 15;
constexpr std::size_t kFewestWindows = 2;
constexpr double kPatientWindows = 20;  // to see a small gain through the noise

}  // namespace

bool SecondThoughts::SeesAClearGain(const Planner& planner, const RateSummary& measured, double starved) {
  if (measured.windows < kFewestWindows) return false;
  const Plan plan = planner.Grow();
  const double hoped = planner.Hoped();
  const double gain = (plan.feeds ? hoped : std::min(hoped, plan.predicted)) / measured.mean - 1;
  const double doubt = std::sqrt(std::max(1.0, kPatientWindows / static_cast<double>(measured.windows)));
  const bool clear =
      starved >= settings_.served.value && !plan.changes.empty() && gain >= doubt * settings_.tempting_gain;
  looks_ = clear ? looks_ + 1 : 0;
  if (looks_ < kLooksInARow) return false;
  looks_ = 0;
  return true;
}

void SecondThoughts::Reopen() {
  *this = SecondThoughts(settings_);
}

}  // namespace sluice::autotune

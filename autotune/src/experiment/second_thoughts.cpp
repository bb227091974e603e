#include "experiment/second_thoughts.h"

#include <algorithm>
#include <cmath>

namespace sluice::autotune {
namespace {

constexpr int kLooksInARow = 15;
constexpr std::size_t kFewestWindows = 2;
constexpr double kPatientWindows = 20;  // to see a small gain through the noise

bool Promises(const Plan& plan, double rate) {
  return !plan.changes.empty() && (plan.feeds || plan.predicted >= rate);
}

}  // namespace

bool SecondThoughts::SeesAClearGain(const Planner& planner, std::size_t phase, const RateSummary& measured,
                                    double starved) {
  if (measured.windows < kFewestWindows) return false;
  const double doubt = std::sqrt(std::max(1.0, kPatientWindows / static_cast<double>(measured.windows)));
  const double tempting = (1 + doubt * settings_.tempting_gain) * measured.mean;
  const bool hopeful = starved >= settings_.served.value && planner.Hoped() >= tempting;
  if (looks_.size() <= phase) looks_.resize(phase + 1);
  int& looks = looks_[phase];
  looks = hopeful && Promises(planner.Grow(), tempting) ? looks + 1 : 0;
  if (looks < kLooksInARow) return false;
  looks = 0;
  return true;
}

void SecondThoughts::Reopen() {
  *this = SecondThoughts(settings_);
}

}  // namespace sluice::autotune

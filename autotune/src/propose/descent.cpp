#include "propose/descent.h"

#include <algorithm>
#include <cmath>

namespace sluice::autotune {
namespace {

constexpr int kStep = 32;             // one worker in so many
constexpr double kWorthALook = 0.05;  // a gain that a trial can see
constexpr int kMostTries = 4;         // of an op: a trial may be cut short before it has shown anything

}  // namespace

std::optional<Plan> Descent::Propose(const Planner& planner, double measured, bool patient) {
  const auto op = planner.BusyOp();
  if (!op || ops_[*op].tries == kMostTries) return std::nullopt;
  const int now = planner.present().workers[*op];
  if (const auto guess = planner.Between(*op); guess && guess->gain >= kWorthALook) {
    ++ops_[*op].tries;
    return planner.Fewer(*op, static_cast<int>(std::lround(guess->n)), (1 + guess->gain) * measured);
  }
  if (now > ops_[*op].began_with || !planner.NeverSeenWithFewer(*op)) return std::nullopt;
  const int cores = planner.model().MostUsefulWorkers(*op);
  const bool gained = ops_[*op].gained;
  if (now <= cores && now < kStep && !gained && !patient) return std::nullopt;
  ++ops_[*op].tries;
  const int step = std::max(1, now / kStep);
  const double gain = static_cast<double>(step) / now;
  if (gained) return planner.Fewer(*op, (now + 1) / 2, (1 + gain) * measured);
  if (now > cores) return planner.Fewer(*op, cores, measured);
  return planner.Fewer(*op, now - step, (1 + gain) * measured);
}

void Descent::Tried(const KnobChange& change, bool gained) {
  State& op = ops_[change.knob.target];
  op.gained = gained;
  if (!gained) op.tries = kMostTries;
}

void Descent::Reopen() {
  for (std::size_t op = 0; op < ops_.size(); ++op) Reopen(op);
}

void Descent::Reopen(std::size_t op) {
  ops_[op] = {.began_with = ops_[op].began_with};
}

}  // namespace sluice::autotune

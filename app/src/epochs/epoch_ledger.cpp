#include "epochs/epoch_ledger.h"

#include <algorithm>
#include <cmath>

namespace sluice::app {
namespace {

constexpr double kPriorNoise = 0.05;  // relative, of one epoch; counts as much as ...
constexpr double kPriorEpochs = 3;    // ... so many epochs
constexpr double kLeastGain = 0.02;   // of the time: what more workers or batches ahead must save
constexpr double kMoreCpu = 1.2;      // times the CPU time is too much, unless it saves as much of the time

// `doubt`: a factor by which the CPU time may be wrong.
bool TooDear(const EpochCost& is, const EpochCost& was, double doubt) {
  return was.cpu > 0 && is.cpu > doubt * kMoreCpu * was.cpu && is.cpu * is.seconds > was.cpu * was.seconds;
}

}  // namespace

void EpochLedger::Add(EpochSetting setting, EpochCost cost, bool warming_up) {
  Account& account = accounts_[setting];
  if (warming_up && account.epochs >= 1) return;
  if (account.epochs < 1 || !account.warm) account = {};
  account.warm = !warming_up;
  account.epochs += 1;
  account.sum.seconds += cost.seconds;
  account.sum.cpu += cost.cpu;
  account.squares += cost.seconds * cost.seconds;
}

void EpochLedger::Estimate(EpochSetting setting, EpochCost cost, Fraction part) {
  if (accounts_.contains(setting)) return;
  accounts_[setting] = {.epochs = part.value, .sum = {part.value * cost.seconds, part.value * cost.cpu}};
}

// Relative, of one epoch, from all that were repeated.
double EpochLedger::Noise() const {
  double squares = kPriorEpochs * kPriorNoise * kPriorNoise, degrees = kPriorEpochs;
  for (const auto& [setting, account] : accounts_) {
    if (account.epochs < 2) continue;
    const double mean = account.mean().seconds;
    squares += std::max(0.0, account.squares / (mean * mean) - account.epochs);
    degrees += account.epochs - 1;
  }
  return std::sqrt(squares / degrees);
}

std::optional<EpochFinding> EpochLedger::Judge(EpochSetting now, const Account& present) const {
  const EpochCost is = present.mean();
  std::optional<EpochFinding> found;
  for (const auto& [setting, account] : accounts_) {
    if (setting == now) continue;
    const EpochCost was = account.mean();
    const double noise = Noise() * std::sqrt(1 / present.epochs + 1 / account.epochs);
    const bool longer = is.seconds > was.seconds * (1 + noise);
    const bool less = setting.workers <= now.workers && setting.capacity <= now.capacity;
    const bool useless = less && account.epochs >= 1 && present.epochs >= kEpochsToGain &&
                         is.seconds > was.seconds * (1 - kLeastGain);
    const double doubt = account.epochs < 1 ? 1 + noise : 1;
    if (setting != own_ && TooDear(was, is, 1)) continue;  // it would not stay
    const bool dear = now != own_ && TooDear(is, was, doubt);
    if (!longer && !useless && !dear) continue;
    if (!found || was.seconds < found->was.seconds)
      found = EpochFinding{setting, is, was, longer || useless, account.epochs < 1};
  }
  return found;
}

std::optional<EpochFinding> EpochLedger::Worse(EpochSetting now) const {
  const auto present = accounts_.find(now);
  if (present == accounts_.end() || present->second.epochs < 1) return std::nullopt;
  return Judge(now, present->second);
}

std::optional<EpochFinding> EpochLedger::WorseAt(EpochSetting now, EpochCost cost) const {
  return Judge(now, {.epochs = 1, .sum = cost});
}

bool EpochLedger::Longer(double is, double was) const {
  return is > was * (1 + Noise() * std::sqrt(2.0));
}

std::optional<EpochSetting> EpochLedger::Best() const {
  std::optional<EpochSetting> best;
  for (const auto& [setting, account] : accounts_) {
    if (account.epochs < 1) continue;
    if (!best || account.mean().seconds < (1 - kLeastGain) * accounts_.at(*best).mean().seconds)
      best = setting;
  }
  return best;
}

double EpochLedger::Epochs(EpochSetting setting) const {
  const auto found = accounts_.find(setting);
  return found == accounts_.end() || found->second.epochs < 1 || !found->second.warm ? 0
                                                                                     : found->second.epochs;
}

std::optional<EpochCost> EpochLedger::Of(EpochSetting setting) const {
  const auto found = accounts_.find(setting);
  return found == accounts_.end() ? std::nullopt : std::optional(found->second.mean());
}

}  // namespace sluice::app

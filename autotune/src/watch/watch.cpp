#include "watch/watch.h"

#include <algorithm>
#include <cmath>

#include "rule.h"

namespace sluice::autotune {
namespace {

constexpr int kReference = 20;       // samples
constexpr int kEnoughToJudge = 5;    // the reference is still being learnt, so the judge is lenient
constexpr double kLenience = 2;      // over the root of the samples so far
constexpr double kPriorSigma = 0.1;  // weighs like three samples
constexpr double kPriorSamples = 3;
constexpr double kLeastSigma = 0.03;
constexpr double kOutlier = 3;   // sigmas; such a sample does not belong to the reference
constexpr double kTurns = 2;     // items per busy worker: where they end together a tick more or less shows
constexpr double kPatience = 1;  // seconds that a sample may wait for them
constexpr double kSmooth = 0.3;  // weight of the newest deviation in the reported ratio

}  // namespace

double ShiftDetector::Sigma() const {
  const double variance =
      (squares_ + kPriorSamples * kPriorSigma * kPriorSigma) / (std::max(0, samples_ - 1) + kPriorSamples);
  const double lenient = samples_ < kReference ? 1 + kLenience / std::sqrt(std::max(1, samples_)) : 1;
  return std::max(kLeastSigma, std::sqrt(variance) * lenient);
}

void ShiftDetector::LearnReference(double x, double sigma) {
  if (samples_ >= kReference) return;
  if (samples_ >= kEnoughToJudge && std::abs(x - mean_) > kOutlier * sigma) return;
  ++samples_;
  const double step = x - mean_;
  mean_ += step / samples_;
  squares_ += step * (x - mean_);
}

std::optional<double> ShiftDetector::Add(double value) {
  const double x = std::log(value);
  const double sigma = Sigma();
  const double deviation = x - mean_;
  const bool judge = samples_ >= kEnoughToJudge;
  LearnReference(x, sigma);
  if (!judge) return std::nullopt;
  const double slack = std::max(settings_.watch_slack, settings_.watch_slack_sigmas * sigma);
  const double alarm = std::max(settings_.watch_alarm, settings_.watch_alarm_sigmas * sigma);
  recent_ += kSmooth * (deviation - recent_);
  up_ = std::max(0.0, up_ + deviation - slack);
  down_ = std::max(0.0, down_ - deviation - slack);
  if (std::max(up_, down_) < alarm) return std::nullopt;
  return std::exp(recent_);
}

Watch::Watch(std::size_t ops, const WatchSettings& settings)
    : settings_(settings), costs_(ops, Signal{ShiftDetector(settings)}), demand_{ShiftDetector(settings)} {}

void Watch::Arm() {
  const std::size_t phase = phase_;
  *this = Watch(costs_.size(), settings_);
  phase_ = phase;
}

void Watch::ArmAfterTrim() {
  const Signal demand = demand_;
  Arm();
  demand_ = demand;
}

void Watch::Turn(std::size_t phase) {
  phase_ = phase;
}

std::optional<double> Watch::Sample(Signal& signal, const Interval& interval, double items, double busy,
                                    double inside) const {
  signal.items += items;
  signal.busy += busy;
  signal.elapsed += interval.seconds;
  if (signal.items < settings_.watch_items || signal.busy <= 0) return std::nullopt;
  if (signal.items < kTurns * inside && signal.elapsed < kPatience) return std::nullopt;
  const double per_item = signal.busy / signal.items;
  signal.items = signal.busy = signal.elapsed = 0;
  return signal.detector.Add(per_item);
}

std::optional<Shift> Watch::AddDemand(const Interval& interval) {
  const auto ratio = Sample(demand_, interval, interval.consumer_items, interval.consumer_busy, 1);
  return ratio ? std::optional(Shift{Watched::kDemand, 0, 1 / *ratio}) : std::nullopt;
}

std::optional<Shift> Watch::Add(const Interval& interval, const std::optional<RateWindow>& window) {
  std::optional<Shift> shift;
  const auto add = [&shift](const Shift& other) {
    if (!shift || other.ratio > shift->ratio) shift = other;
  };
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    const OpInterval& op = interval.ops[i];
    if (const auto ratio =
            Sample(costs_[i], interval, op.items, op.cpu + op.wait, op.busy / interval.seconds)) {
      if (On(Rule::kWatchCost)) add({Watched::kCost, i, *ratio});
    }
  }
  if (const auto demand = AddDemand(interval); demand && On(Rule::kWatchDemand)) add(*demand);
  if (!window || window->rate <= 0) return shift;
  const auto ratio = rates_.try_emplace(phase_, settings_).first->second.Add(window->rate);
  return ratio && !shift && On(Rule::kWatchRate) ? Shift{Watched::kRate, 0, *ratio} : shift;
}

}  // namespace sluice::autotune

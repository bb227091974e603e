// Runs a controller against a FakePlant and keeps what matters: decisions, outcomes, throughput per tick.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "autotune/fake_plant.h"
#include "sluice/autotune/auto_tune.h"

namespace sluice::autotune::testing {

struct Tick {
  double at = 0;
  std::uint64_t consumed = 0;
  double could_hold = 0;
};

class Tuning {
 public:
  explicit Tuning(FakePlant& plant, AutoTuneOptions options = {})
      : plant_(plant), controller_(MakeAutoTune(options)) {}

  void Run(double seconds) {
    for (const double until = plant_.now() + seconds - 1e-6; plant_.now() < until;) Step();
  }

  // Consumer items per second over the last `seconds`.
  [[nodiscard]] double Rate(double seconds) const {
    const double from = ticks_.back().at - seconds - 1e-6;
    const auto start = std::ranges::lower_bound(ticks_, from, {}, &Tick::at);
    return static_cast<double>(ticks_.back().consumed - start->consumed) / (ticks_.back().at - start->at);
  }
  [[nodiscard]] int Changes(double since = 0) const {
    return static_cast<int>(std::ranges::count_if(
        decisions_, [&](const Decision& d) { return d.id != 0 && !d.advice && Seconds(d.at) >= since; }));
  }
  [[nodiscard]] int Fates(Fate fate) const {
    return static_cast<int>(std::ranges::count(outcomes_, fate, &Outcome::fate));
  }
  // One line per decision and outcome.
  [[nodiscard]] std::string Trace() const;

  [[nodiscard]] const Verdict& verdict() const { return decisions_.back().verdict; }
  [[nodiscard]] const std::vector<Decision>& decisions() const { return decisions_; }
  [[nodiscard]] const std::vector<Outcome>& outcomes() const { return outcomes_; }
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  void Step() {
    Decision decision = controller_->Decide(plant_.Sense());
    plant_.Act(decision);
    ticks_.push_back({plant_.now(), plant_.consumed(), plant_.CouldHold()});
    outcomes_.insert(outcomes_.end(), decision.outcomes.begin(), decision.outcomes.end());
    decisions_.push_back(std::move(decision));
  }

  FakePlant& plant_;
  std::unique_ptr<Controller> controller_;
  std::vector<Decision> decisions_;
  std::vector<Outcome> outcomes_;
  std::vector<Tick> ticks_;
};

// The rate of a plant that nobody touches, after a start of 2 s.
[[nodiscard]] double RateUntouched(FakePlant plant, double seconds);

}  // namespace sluice::autotune::testing

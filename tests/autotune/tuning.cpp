#include "autotune/tuning.h"

#include <fmt/format.h>

namespace sluice::autotune::testing {

double RateUntouched(const SimScenario& scenario) {
  return MeasuredRate(scenario, 2s, 5s);
}

SimScenario Line(std::vector<SimOp> ops, Around around) {
  SimScenario scenario;
  scenario.epochs = 0;
  scenario.seed = around.seed;
  scenario.ops = std::move(ops);
  for (SimOp& op : scenario.ops) {
    if (op.size > 1) op.kind = simulator::SimKind::kBatch;
    if (op.allocate.count == 0) op.allocate = {100'000};
  }
  scenario.ops.front().kind = simulator::SimKind::kRange;
  scenario.ops.front().count = 1'000'000'000;
  scenario.consumer.step = Fixed(around.step);
  scenario.memory = around.memory;
  scenario.machine.cores = around.cores;
  scenario.machine.noise = around.noise;
  scenario.events = std::move(around.events);
  return scenario;
}

void Tuning::Step() {
  Snapshot seen = plant_.Sense();
  if (lens_) lens_(seen);
  Decision decision = controller_->Decide(seen);
  plant_.Act(decision);
  ticks_.push_back({now(), consumed(), CouldHold()});
  outcomes_.insert(outcomes_.end(), decision.outcomes.begin(), decision.outcomes.end());
  decisions_.push_back(std::move(decision));
}

void Tuning::Run(Nanos time) {
  for (const Nanos until = now() + time; now() < until;) Step();
}

Nanos Tuning::RunUntil(const std::function<bool()>& reached, Nanos most) {
  for (const Nanos until = now() + most; !reached() && now() < until;) Step();
  return now();
}

void Tuning::Set(KnobKind kind, std::uint32_t target, std::int64_t to) {
  plant_.Act(simulator::testing::Change(kind, target, to, Author::kUser));
}

double Tuning::Rate(Nanos time) const {
  const auto start = std::ranges::lower_bound(ticks_, ticks_.back().at - time, {}, &Tick::at);
  return static_cast<double>(ticks_.back().consumed - start->consumed) /
         Seconds(ticks_.back().at - start->at);
}

int Tuning::Changes(Nanos since) const {
  return static_cast<int>(std::ranges::count_if(
      decisions_, [&](const Decision& d) { return d.id != 0 && !d.advice && d.at >= since; }));
}

double Tuning::CouldHold() const {
  const simulator::SimTruth truth = plant_.Truth();
  double held = 0;
  for (std::size_t i = 0; i < truth.workers.size(); ++i) {
    held += static_cast<double>(plant_.scenario().ops[i].allocate.count) *
            static_cast<double>(truth.capacity[i] + truth.workers[i]);
  }
  return held;
}

std::string Tuning::Trace() const {
  std::string text;
  for (const Decision& d : decisions_) {
    for (const Outcome& o : d.outcomes) {
      constexpr const char* kFates[] = {"trial", "kept", "rolled back", "advised", "rejected"};
      text += fmt::format("{:.1f} s  #{} {} at {:.1f}/s\n", Seconds(d.at), o.decision,
                          kFates[static_cast<int>(o.fate)], o.measured ? o.measured->per_second : 0.0);
    }
    if (d.id != 0) text += fmt::format("{:.1f} s  #{} {}\n", Seconds(d.at), d.id, d.because);
  }
  return text;
}

}  // namespace sluice::autotune::testing

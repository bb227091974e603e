#include "evaluation/written_runs.h"

#include <cmath>

namespace sluice::evaluation::testing {
namespace {

constexpr double kTick = 0.2;

// As good as the optimum throughout.
Written Optimal(const Written& like, const std::vector<WrittenEvent>& events) {
  Written run;
  const double end = Seconds(like.record().ticks.back().at);
  double from = 0, rate = 100;
  for (const WrittenEvent& event : events) {
    run.For(std::min(event.at, end) - from, rate);
    from = std::min(event.at, end);
    rate = 100 / event.step;
  }
  return run.For(end - from, rate);
}

}  // namespace

simulator::SimScenario Work(const std::vector<WrittenEvent>& events) {
  simulator::SimScenario scenario;
  scenario.name = "work";
  scenario.epochs = 0;
  simulator::SimOp list{.name = "list", .kind = simulator::SimKind::kRange};
  list.count = 1'000'000;
  simulator::SimOp work{.name = "work", .kind = simulator::SimKind::kSynthetic};
  work.burn.mean = std::chrono::milliseconds(10);
  scenario.ops = {list, work};
  scenario.consumer.step.mean = std::chrono::milliseconds(10);
  for (const WrittenEvent& event : events) {
    scenario.events.push_back({.at = FromSeconds(event.at), .step = event.step});
  }
  return scenario;
}

Written& Written::For(double seconds, double rate, double cores) {
  const auto ticks = std::lround(seconds / kTick);
  for (long i = 0; i < ticks; ++i) {
    now_ += kTick;
    RunTick tick = like_;
    tick.at = Nanos(std::lround(now_ * 10) * 100'000'000);
    tick.items = static_cast<std::uint64_t>(std::lround(rate * kTick));
    tick.core_seconds = cores * kTick;
    record_.ticks.push_back(tick);
  }
  return *this;
}

Written& Written::Wavering(double seconds, double first, double second) {
  const int times = static_cast<int>(std::ceil(seconds / 2));
  for (int i = 0; i < times; ++i) For(1, first).For(1, second);
  return *this;
}

Written& Written::Change(std::int64_t to) {
  Decision decision;
  decision.id = record_.decisions.size() + 1;
  decision.at = Nanos(std::lround(now_ * 10) * 100'000'000);
  decision.changes = {{{KnobKind::kWorkers, 1}, workers_, to}};
  workers_ = to;
  record_.workers[1] = static_cast<int>(to);
  record_.decisions.push_back(decision);
  return *this;
}

Written& Written::Says(Limit limit, std::optional<std::uint32_t> op) {
  like_.limit = limit;
  like_.limit_op = op;
  return *this;
}

Written& Written::Buffers(double memory_share) {
  like_.memory_share = memory_share;
  return *this;
}

Written& Written::Dies() {
  ++record_.ooms;
  return *this;
}

Scores Scored(const Written& run, const std::vector<WrittenEvent>& events) {
  return Scored(run, Optimal(run, events), Optimal(run, events), events);
}

Scores Scored(const Written& run, const Written& untouched, const Written& reachable,
              const std::vector<WrittenEvent>& events) {
  const simulator::SimScenario scenario = Work(events);
  return Score(scenario, run.record(), {simulator::Optima(scenario), untouched.record(), reachable.record()});
}

}  // namespace sluice::evaluation::testing

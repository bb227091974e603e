// How long one Decide() of AutoTune takes where a host is large: pipelines of 64 ops, 256 cores, 16 ranks.
// The snapshots are those of simulated pipelines that the controller tunes meanwhile. CPU time of the thread:
// Decide() neither waits nor shares, so on a quiet machine that is its time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "paired.h"
#include "sluice/autotune/auto_tune.h"
#include "sluice/base/clock.h"
#include "sluice/simulator/sim_plant.h"

namespace sluice::bench {
namespace {

using namespace std::chrono_literals;

constexpr Nanos kTick = 100ms;             // as `sluice run` has
constexpr Nanos kLength = 90s;             // of virtual time
constexpr std::size_t kSimulatedOps = 63;  // as many as the simulator has
constexpr double kAllowed = 1e-3;          // seconds per call
constexpr auto kLognormal = Distribution::Kind::kLognormal;

simulator::SimScenario Host(std::string name) {
  simulator::SimScenario s;
  s.name = std::move(name);
  s.epochs = 0;
  s.machine.cores = 256;
  s.machine.ranks = 16;
  s.machine.meter_noise = 0.02;
  return s;
}

std::string Numbered(std::string_view name, std::size_t number) {
  return fmt::format("{}{}", name, number);
}

// A source, ops of 1 to 4 ms, a batch.
simulator::SimScenario Chain(std::string name = "chain") {
  simulator::SimScenario s = Host(std::move(name));
  s.ops.push_back(
      {.name = "source", .kind = simulator::SimKind::kRange, .count = 1'000'000'000, .allocate = {100'000}});
  while (s.ops.size() + 1 < kSimulatedOps) {
    const std::size_t i = s.ops.size();
    s.ops.push_back({.name = Numbered("op", i), .burn = {kLognormal, 1ms * (1 + i % 4), 0.3}});
  }
  s.ops.push_back({.name = "batch", .kind = simulator::SimKind::kBatch, .size = 8});
  return s;
}

// Every op slows itself down, so that many curves are to be fitted.
simulator::SimScenario Contended() {
  simulator::SimScenario s = Chain("contended");
  for (std::size_t i = 1; i < s.ops.size() - 1; ++i) {
    s.ops[i].wait = {kLognormal, 10ms, 0.3};
    s.ops[i].contention = {.sigma = 0.03, .kappa = 0.004, .table = {}};
    s.ops[i].max_workers = 256;
  }
  return s;
}

// Every sixteenth op computes under one lock: more workers only queue for it, which looks like contention at
// first.
simulator::SimScenario Locked() {
  simulator::SimScenario s = Chain("locked");
  for (std::size_t i = 3; i < s.ops.size() - 1; i += 16) {
    s.ops[i].wait = {kLognormal, 2ms, 0.3};
    s.ops[i].gil = true;
  }
  return s;
}

// Buffers and workers have to be fitted into the byte budget.
simulator::SimScenario MemoryTight() {
  simulator::SimScenario s = Chain("memory");
  s.ops[0].allocate = {20'000'000};
  for (simulator::SimOp& op : s.ops) op.capacity = 1;
  s.ops.back().size = 2;
  s.memory = {5'000'000'000};
  return s;
}

// Eight chains, one after the other in each epoch: as many phases.
simulator::SimScenario Concat() {
  simulator::SimScenario s = Host("concat");
  constexpr std::size_t kInputs = 8;
  std::vector<std::uint32_t> ends;
  while (s.ops.size() + 1 < kSimulatedOps) {
    const std::size_t i = s.ops.size();
    if (ends.size() < kInputs && i == ends.size() * kSimulatedOps / kInputs) {
      s.ops.push_back({.name = Numbered("source", i), .kind = simulator::SimKind::kRange, .count = 400});
      ends.push_back(static_cast<std::uint32_t>(i));
    } else {
      s.ops.push_back({.name = Numbered("op", i), .burn = {kLognormal, 1ms * (1 + i % 4), 0.3}});
      ends.back() = static_cast<std::uint32_t>(i);
    }
  }
  s.ops.push_back({.name = "concat", .kind = simulator::SimKind::kConcat, .inputs = ends});
  return s;
}

// A 64th op, between the last one and the consumer: it hands items on, costs nothing and cannot be changed.
class OneMoreOp {
 public:
  [[nodiscard]] Snapshot Behind(Snapshot seen) {
    if (!graph_) graph_ = std::make_shared<const Graph>(Longer(*seen.graph));
    seen.graph = graph_;
    const std::uint64_t items = seen.consumer.items;
    seen.ops.emplace_back().items = items;
    seen.ops.back().workers = 1;
    seen.connectors.emplace_back().capacity = 1;
    seen.connectors.back().pushed = seen.connectors.back().popped = items;
    return seen;
  }

 private:
  [[nodiscard]] static Graph Longer(Graph graph) {
    const OpId last{static_cast<std::uint32_t>(graph.ops.size())};
    graph.connectors.back().to = last;
    const std::uint32_t rows = graph.ops.back().rows_per_item;
    graph.ops.push_back({.name = "hand_on", .kind = "synthetic", .serial = true, .rows_per_item = rows});
    graph.connectors.push_back({"hand_on->consumer", last, std::nullopt});
    return graph;
  }

  std::shared_ptr<const Graph> graph_;
};

enum Stage : std::size_t { kLooking, kTrying, kResting, kStages };
constexpr std::array<std::string_view, kStages> kStageNames = {"first look", "trying", "between"};

// Before the first change, while one is on trial, and the rest.
class StageOf {
 public:
  Stage See(const Decision& decision) {
    const Stage stage = stage_;
    if (!decision.changes.empty()) {
      trying_ = decision.id;
      stage_ = kTrying;
      return stage;
    }
    const auto over = [&](const Outcome& o) { return o.decision == trying_; };
    if (stage_ == kTrying && std::ranges::any_of(decision.outcomes, over)) stage_ = kResting;
    return stage;
  }

 private:
  Stage stage_ = kLooking;
  std::uint64_t trying_ = 0;
};

using Times = std::array<std::vector<double>, kStages>;  // seconds

Times Measure(const simulator::SimScenario& scenario) {
  simulator::SimPlant plant(scenario);
  plant.set_tick(kTick);
  const auto controller = autotune::MakeAutoTune();
  OneMoreOp more;
  StageOf stage;
  Times times;
  for (Nanos now = 0s; now < kLength; now += kTick) {
    const Snapshot seen = more.Behind(plant.Sense());
    const Nanos start = ReadClock(CLOCK_THREAD_CPUTIME_ID);
    Decision decision = controller->Decide(seen);
    const double took = Seconds(ReadClock(CLOCK_THREAD_CPUTIME_ID) - start);
    times[stage.See(decision)].push_back(took);
    plant.Act(decision);
  }
  return times;
}

double Percentile99(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(values.size() * 99 - 1) / 100];
}

void Print(std::string_view scenario, std::string_view stage, const std::vector<double>& seconds) {
  fmt::print("{:<12} {:<12} {:>6} {:>10.0f} {:>16.0f} {:>8.0f}\n", scenario, stage, seconds.size(),
             Median(seconds) * 1e6, Percentile99(seconds) * 1e6, std::ranges::max(seconds) * 1e6);
}

double WorstPercentile(const Times& times) {
  double worst = 0;
  for (const auto& seconds : times) {
    if (!seconds.empty()) worst = std::max(worst, Percentile99(seconds));
  }
  return worst;
}

void Add(Times& all, const Times& round) {
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    all[stage].insert(all[stage].end(), round[stage].begin(), round[stage].end());
  }
}

int Main(int argc, char** argv) {
  const auto [rounds, _, busy] = Parse(argc, argv, 3);
  LookAround(busy);
  fmt::print("64 ops, 256 cores, 16 ranks; us of CPU time per call, all rounds together\n");
  fmt::print("{:<12} {:<12} {:>6} {:>10} {:>16} {:>8}\n", "pipeline", "stage", "calls", "median",
             "99th percentile", "worst");
  std::vector<double> worst(static_cast<std::size_t>(rounds), 0.0);  // by round, over what is allowed
  for (const simulator::SimScenario& scenario : {Chain(), Contended(), Locked(), MemoryTight(), Concat()}) {
    Times all;
    for (double& late : worst) {
      const Times round = Measure(scenario);
      late = std::max(late, WorstPercentile(round) / kAllowed);
      Add(all, round);
    }
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      if (!all[stage].empty()) Print(scenario.name, kStageNames[stage], all[stage]);
    }
  }
  PrintRatio("decide", SpreadOf(worst));
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  return sluice::bench::Main(argc, argv);
}

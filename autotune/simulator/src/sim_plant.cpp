#include "sluice/simulator/sim_plant.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "sim_knobs.h"
#include "sim_meter.h"
#include "sim_rank.h"
#include "sim_state.h"
#include "sluice/base/check.h"
#include "sluice/base/placement.h"
#include "sluice/base/topology.h"

namespace sluice::simulator {
namespace {

constexpr double kApplyDelay = 0.002;
constexpr double kJitterPeriod = 0.1;
constexpr double kLocal = 10;  // the kernel's distance of a node to itself

std::shared_ptr<const Topology> TopologyOf(const SimHost& host) {
  if (!host.placement || host.nodes < 2) return nullptr;
  Topology topology;
  topology.origin = "simulated";
  const int each = std::max(1, static_cast<int>(host.cores) / host.nodes);
  for (int n = 0; n < host.nodes; ++n) {
    NumaNode node;
    node.number = n;
    node.cpus = CpuSet::Range(n * each, (n + 1) * each - 1);
    topology.cpus = topology.cpus | node.cpus;
    topology.nodes.push_back(std::move(node));
    topology.distances.emplace_back(host.nodes, kLocal * host.remote_penalty);
    topology.distances.back()[static_cast<std::size_t>(n)] = kLocal;
  }
  for (const int cpu : topology.cpus.Cpus()) topology.cores.push_back({cpu, CpuSet::Range(cpu, cpu)});
  topology.allowed = topology.cpus;
  return std::make_shared<const Topology>(std::move(topology));
}

}  // namespace

class SimPlant::Impl {
 public:
  Impl(SimScenario scenario, std::uint64_t seed);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Snapshot Sense();
  void Act(const Decision& decision);
  [[nodiscard]] SimTruth Truth() const;
  void set_tick(Nanos tick) { tick_ = Seconds(tick); }
  [[nodiscard]] const SimScenario& scenario() const { return scenario_; }

 private:
  void AdvanceTo(double until);
  void RunUntil(double until);
  void Settle();
  void ApplyState();
  void ApplyKnobs(const std::vector<Knob>& changed);
  void Jitter();
  [[nodiscard]] double CpuSeconds() const;
  [[nodiscard]] Nanos Idle() const;
  void Kill();
  void Revive();
  void At(double when, std::function<void()> what) { agenda_.emplace(when, std::move(what)); }
  [[nodiscard]] Snapshot Exact() const;

  const SimScenario scenario_;
  SimState state_;
  SimMachine machine_;
  SimMemory memory_;
  std::vector<SimRank> ranks_;
  SimKnobs knobs_;
  SimMeter meter_;
  Rng jitter_;  // of its own, so that plants of one seed meet the same noise at the same time
  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const Topology> topology_;  // where ops can be placed
  std::multimap<double, std::function<void()>> agenda_;
  double tick_ = Seconds(kTick);
  double sensed_ = 0;
  double offered_ = 0;        // core seconds, up to the last event
  double offered_until_ = 0;  // when that was
  int ooms_ = 0;
  bool down_ = false;
};

SimPlant::Impl::Impl(SimScenario scenario, std::uint64_t seed)
    : scenario_(std::move(scenario)),
      state_(StateAt(scenario_, Nanos(0))),
      machine_(scenario_, state_.FreeCores()),
      memory_{0, scenario_.machine.memory.count},
      knobs_(scenario_),
      meter_(scenario_.machine.meter_noise, seed),
      jitter_(seed, 0, 0, 2),
      graph_(std::make_shared<const Graph>(GraphOf(scenario_))),
      topology_(TopologyOf(scenario_.machine)) {
  for (int r = 0; r < scenario_.machine.ranks; ++r) {
    ranks_.emplace_back(scenario_, static_cast<std::uint32_t>(r), seed, machine_, memory_);
  }
  for (const SimEvent& event : scenario_.events) {
    At(Seconds(event.at), [this] { ApplyState(); });
  }
  if (scenario_.machine.noise > 0) Jitter();
  ApplyState();
  Settle();
}

void SimPlant::Impl::AdvanceTo(double until) {
  while (!agenda_.empty() && agenda_.begin()->first <= until) {
    RunUntil(agenda_.begin()->first);
    const auto due = agenda_.extract(agenda_.begin());
    due.mapped()();
    Settle();
  }
  RunUntil(until);
}

void SimPlant::Impl::RunUntil(double until) {
  while (const auto token = machine_.Next(until)) {
    SimRank& rank = ranks_[token->rank];
    rank.Proceed(token->job);
    rank.Settle();
    if (memory_.Exceeded()) Kill();
  }
}

void SimPlant::Impl::Settle() {
  for (SimRank& rank : ranks_) rank.Settle();
  if (memory_.Exceeded()) Kill();
}

void SimPlant::Impl::ApplyState() {
  offered_ += state_.FreeCores() * (machine_.now() - offered_until_);
  offered_until_ = machine_.now();
  state_ = StateAt(scenario_, FromSeconds(machine_.now() + 1e-9));
  machine_.SetCores(state_.FreeCores());
  for (SimRank& rank : ranks_) {
    for (std::size_t i = 0; i < state_.cost.size(); ++i) rank.SetCost(i, state_.cost[i]);
    rank.SetStep(state_.step);
  }
}

void SimPlant::Impl::ApplyKnobs(const std::vector<Knob>& changed) {
  for (const Knob& knob : changed) {
    for (SimRank& rank : ranks_) {
      if (knob.id.kind == KnobKind::kWorkers) rank.SetWorkers(knob.id.target, static_cast<int>(knob.value));
      if (knob.id.kind == KnobKind::kCapacity) rank.SetCapacity(knob.id.target, knob.value);
      if (knob.id.kind == KnobKind::kPlacement) rank.Place(knob.id.target, PlacementOf(knob.value).nodes);
    }
  }
}

// Speeds with mean 1, so that noise does not move the rate of a bottleneck.
void SimPlant::Impl::Jitter() {
  const double sigma = std::sqrt(std::log1p(scenario_.machine.noise * scenario_.machine.noise));
  for (SimRank& rank : ranks_) {
    for (std::size_t i = 0; i < scenario_.ops.size(); ++i) {
      rank.SetSpeed(i, std::exp(sigma * jitter_.Normal() - sigma * sigma / 2));
    }
  }
  At(machine_.now() + kJitterPeriod, [this] { Jitter(); });
}

void SimPlant::Impl::Kill() {
  ++ooms_;
  down_ = true;
  for (SimRank& rank : ranks_) rank.Kill();
  machine_.Clear();
  At(machine_.now() + Seconds(scenario_.machine.restart), [this] { Revive(); });
}

void SimPlant::Impl::Revive() {
  down_ = false;
  ApplyKnobs(knobs_.Reset());
  for (SimRank& rank : ranks_) rank.Revive();
}

void SimPlant::Impl::Act(const Decision& decision) {
  if (!knobs_.Request(decision)) return;
  At(machine_.now() + kApplyDelay, [this] {
    if (!down_) ApplyKnobs(knobs_.Apply());
  });
}

double SimPlant::Impl::CpuSeconds() const {
  double seconds = 0;
  for (const SimRank& rank : ranks_) seconds += rank.CpuSeconds();
  return seconds;
}

Nanos SimPlant::Impl::Idle() const {
  const double offered = offered_ + state_.FreeCores() * (machine_.now() - offered_until_);
  return FromSeconds(std::max(0.0, offered - CpuSeconds()));
}

Snapshot SimPlant::Impl::Exact() const {
  const SimRank& rank = ranks_.front();
  Snapshot seen;
  seen.at = seen.wall = FromSeconds(machine_.now());
  seen.graph = graph_;
  for (std::size_t i = 0; i < scenario_.ops.size(); ++i) {
    seen.ops.push_back(rank.ReadOp(i));
    seen.connectors.push_back(rank.ReadConnector(i));
  }
  seen.consumer = rank.ReadConsumer();
  seen.knobs = knobs_.all();
  seen.budget = {state_.cores / scenario_.machine.ranks, state_.memory};
  seen.buffered = {rank.held()};
  seen.buffered_peak = {rank.held_peak()};
  seen.epoch = rank.epoch();
  seen.process_cpu = FromSeconds(rank.CpuSeconds());
  seen.idle = Idle();
  seen.topology = topology_;
  seen.finished = rank.finished();
  return seen;
}

Snapshot SimPlant::Impl::Sense() {
  sensed_ += tick_;
  AdvanceTo(sensed_);
  return meter_.Blur(Exact());
}

SimTruth SimPlant::Impl::Truth() const {
  const SimRank& rank = ranks_.front();
  const ConsumerReading consumer = rank.ReadConsumer();
  SimTruth truth;
  truth.now = FromSeconds(machine_.now());
  truth.items = consumer.items;
  truth.rows = consumer.rows;
  truth.lost = rank.lost();
  truth.consumer_busy = consumer.busy;
  truth.consumer_starved = consumer.starved;
  for (const SimRank& each : ranks_) truth.simulated += each.made();
  truth.core_seconds = CpuSeconds();
  truth.first_core_seconds = rank.CpuSeconds();
  truth.ooms = ooms_;
  truth.down = down_;
  truth.buffered = {rank.held()};
  truth.buffered_peak = {rank.held_peak()};
  for (std::size_t i = 0; i < scenario_.ops.size(); ++i) {
    truth.workers.push_back(rank.workers(i));
    truth.capacity.push_back(static_cast<std::int64_t>(rank.capacity(i)));
  }
  return truth;
}

SimPlant::SimPlant(const SimScenario& scenario) : SimPlant(scenario, scenario.seed) {}

SimPlant::SimPlant(SimScenario scenario, std::uint64_t seed) {
  SLUICE_CHECK(Validate(scenario).has_value());
  impl_ = std::make_unique<Impl>(std::move(scenario), seed);
}

SimPlant::~SimPlant() = default;

Snapshot SimPlant::Sense() {
  return impl_->Sense();
}
void SimPlant::Act(const Decision& decision) {
  impl_->Act(decision);
}
void SimPlant::set_tick(Nanos tick) {
  SLUICE_CHECK(tick > Nanos(0));
  impl_->set_tick(tick);
}
SimTruth SimPlant::Truth() const {
  return impl_->Truth();
}
const SimScenario& SimPlant::scenario() const {
  return impl_->scenario();
}

}  // namespace sluice::simulator

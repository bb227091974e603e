#include "sluice/simulator/optimum.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "fluid.h"
#include "memory_search.h"
#include "plain_setting.h"
#include "setting_search.h"
#include "sim_flow.h"
#include "sim_state.h"
#include "sluice/base/check.h"

namespace sluice::simulator {
namespace {

// Placements beyond this many are not tried one by one; all ops anywhere is.
constexpr double kMostPlacements = 1e6;
// Stretches beyond are compared with what these have found.
constexpr std::size_t kMostSearches = 4;

double PerSecond(double amount, double rate) {
  return rate > 0 ? amount / rate : 0;
}

double StorageSeconds(const SimScenario& s, const SimOp& op) {
  return PerSecond(static_cast<double>(op.read.count), static_cast<double>(s.storage.bandwidth.count)) +
         PerSecond(op.requests, s.storage.request_rate);
}

double LoadOf(const SimScenario& s, std::size_t rank) {
  return s.machine.load.empty() ? 1 : s.machine.load[rank];
}

FluidOp OpOf(const SimScenario& s, std::size_t i, const SimState& state, const SimSize& size,
             std::size_t rank) {
  const SimOp& op = s.ops[i];
  FluidOp fluid;
  const double cost = state.cost[i] * LoadOf(s, rank);
  fluid.cpu = Seconds(op.burn.mean) * cost;
  fluid.wait = Seconds(op.wait.mean) * cost;
  fluid.storage = StorageSeconds(s, op) * cost;
  fluid.contention = op.contention;
  fluid.least = op.pin_workers ? op.workers : op.min_workers;
  fluid.most = op.serial ? 1 : op.pin_workers ? op.workers : op.max_workers;
  if (op.shards > 0) fluid.most = std::min(fluid.most, op.shards);
  fluid.least = std::min(fluid.least, fluid.most);
  fluid.serial = op.serial;
  fluid.locks = op.gil;
  fluid.bytes = size.out;
  fluid.frees = op.allocate.count > 0 ? size.in : 0;
  fluid.gathers = op.kind == SimKind::kBatch ? size.in : op.buffer * size.in;
  fluid.buffered = op.pin_capacity ? op.capacity : op.min_capacity;
  return fluid;
}

// The op whose work last touched what op i takes; ops() where none did.
std::size_t MakerBefore(const SimScenario& s, std::size_t i) {
  auto inputs = InputsOf(s, i);
  while (!inputs.empty()) {
    if (s.ops[inputs[0]].burn.mean.count() > 0) return inputs[0];
    inputs = InputsOf(s, inputs[0]);
  }
  return s.ops.size();
}

// By how much work at `node` on what was made at `maker` takes longer; < 0: anywhere.
double RemoteFactor(const SimHost& host, int maker, int node) {
  const double elsewhere = 1 - 1.0 / host.nodes;
  const double remote = maker >= 0 && node >= 0 ? (maker == node ? 0 : 1) : elsewhere;
  return 1 + (host.remote_penalty - 1) * remote;
}

FluidProblem Placed(const SimScenario& s, FluidProblem problem, const std::vector<int>& nodes) {
  for (std::size_t i = 0; i < s.ops.size(); ++i) {
    problem.ops[i].node = nodes[i];
    const std::size_t maker = MakerBefore(s, i);
    if (maker < s.ops.size()) problem.ops[i].cpu *= RemoteFactor(s.machine, nodes[maker], nodes[i]);
  }
  const std::size_t last =
      s.ops.back().burn.mean.count() > 0 ? s.ops.size() - 1 : MakerBefore(s, s.ops.size() - 1);
  if (last < s.ops.size()) {
    const double factor = RemoteFactor(s.machine, nodes[last], -1);
    problem.step += problem.burn * (factor - 1);
    problem.burn *= factor;
  }
  return problem;
}

// Counts up the places of all ops; false: all have been seen.
bool NextPlacement(std::vector<int>& nodes, int most) {
  for (int& node : nodes) {
    if (++node < most) return true;
    node = -1;
  }
  return false;
}

FluidProblem BestPlaced(const SimScenario& s, const FluidProblem& problem) {
  std::vector<int> nodes(s.ops.size(), -1);
  FluidProblem best = Placed(s, problem, nodes);
  const double placements = std::pow(s.machine.nodes + 1, static_cast<double>(s.ops.size()));
  if (!s.machine.placement || placements > kMostPlacements) return best;
  while (NextPlacement(nodes, s.machine.nodes)) {
    FluidProblem other = Placed(s, problem, nodes);
    if (Fluid(other).CoresRate() > Fluid(best).CoresRate() * (1 + 1e-9)) best = std::move(other);
  }
  return best;
}

double MemoryOf(const SimScenario& s, const SimState& state) {
  const auto told = static_cast<double>(state.memory.count);
  const double kills = static_cast<double>(s.machine.memory.count) / s.machine.ranks;
  if (told <= 0 || kills <= 0) return std::max(told, kills);
  return std::min(told, kills);
}

// Of one rank that had all the cores.
FluidProblem AloneOf(const SimScenario& s, const SimState& state, std::size_t rank) {
  const std::vector<SimSize> sizes = SizesOf(s);
  FluidProblem problem;
  for (std::size_t i = 0; i < s.ops.size(); ++i) problem.ops.push_back(OpOf(s, i, state, sizes[i], rank));
  problem.burn = Seconds(s.consumer.burn.mean) * state.step;
  problem.step = Seconds(s.consumer.step.mean) * state.step + problem.burn;
  const double items = ItemsPerEpoch(s).back();
  if (!s.drain) problem.step += Seconds(s.pause) / items;
  problem.cores = state.FreeCores();
  problem.nodes = s.machine.nodes;
  problem.ranks = s.machine.ranks;
  if (!s.storage.parallelism.empty()) problem.storage_speed = s.storage.parallelism;
  problem.memory = MemoryOf(s, state);
  return problem;
}

void Widen(Optimum& all, const Optimum& phase) {
  std::ranges::copy(phase.near, std::back_inserter(all.near));
  all.bytes = std::max(all.bytes, phase.bytes);
  for (std::size_t i = 0; i < all.workers.size(); ++i) {
    all.workers[i] = std::max(all.workers[i], phase.workers[i]);
  }
}

// One phase after the other; a draining consumer's pause is a phase of its own.
Optimum InTurn(const SimScenario& s, const FluidProblem& problem) {
  Optimum all;
  double seconds = s.drain ? Seconds(s.pause) / ItemsPerEpoch(s).back() : 0;
  double longest = -1;
  for (const SimPhase& phase : PhasesOf(s)) {
    FluidProblem part = problem;
    for (std::size_t i = 0; i < part.ops.size(); ++i) part.ops[i].visits = phase.visits[i];
    const Optimum optimum = Fluid(BestPlaced(s, part)).Solve();
    const double takes = phase.share / optimum.rate.per_second;
    seconds += takes;
    Optimum widened = takes > longest ? optimum : all;
    if (longest >= 0) Widen(widened, takes > longest ? all : optimum);
    longest = std::max(longest, takes);
    all = std::move(widened);
  }
  all.rate = {seconds > 0 ? 1 / seconds : std::numeric_limits<double>::infinity()};
  return all;
}

// Cores that are shared evenly by those that want more than is left for each.
double FairShare(double cores, const std::vector<double>& wanted) {
  std::vector<double> others(wanted.begin() + 1, wanted.end());
  std::ranges::sort(others);
  auto sharing = static_cast<double>(wanted.size());
  for (const double each : others) {
    if (each >= cores / sharing) break;
    cores -= each;
    --sharing;
  }
  return cores / sharing;
}

FluidProblem ProblemOf(const SimScenario& s, const SimState& state) {
  FluidProblem first = AloneOf(s, state, 0);
  if (s.machine.load.empty()) {
    first.cores = state.FreeCores() / s.machine.ranks;
    return first;
  }
  std::vector<double> wanted;
  double loads = 0;
  for (std::size_t rank = 0; rank < s.machine.load.size(); ++rank) {
    FluidProblem alone = AloneOf(s, state, rank);
    alone.ranks = 1;
    wanted.push_back(InTurn(s, alone).cores);
    loads += s.machine.load[rank];
  }
  first.cores = FairShare(first.cores, wanted);
  first.ranks = loads / s.machine.load[0];
  return first;
}

// Stretches with the same world have the same optimum; searched are the longest of those that differ.
class Reachable {
 public:
  explicit Reachable(const SimScenario& scenario) : scenario_(scenario), optima_(Optima(scenario)) {
    for (const Optimum& optimum : optima_) states_.push_back(StateAt(scenario, optimum.from));
  }

  [[nodiscard]] std::vector<Optimum> All() {
    for (const std::size_t i : LongestFirst()) {
      optima_[i] = Found(i);
      done_.push_back(i);
    }
    return optima_;
  }

 private:
  [[nodiscard]] Nanos LengthOf(std::size_t i) const {
    const Nanos end = i + 1 < optima_.size() ? optima_[i + 1].from : scenario_.duration;
    return end - optima_[i].from;
  }

  [[nodiscard]] std::vector<std::size_t> LongestFirst() const {
    std::vector<std::size_t> order(optima_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return LengthOf(i); });
    return order;
  }

  [[nodiscard]] Optimum Found(std::size_t i) {
    const auto same = std::ranges::find_if(done_, [&](std::size_t k) { return states_[k] == states_[i]; });
    if (same != done_.end()) {
      Optimum again = optima_[*same];
      again.from = optima_[i].from;
      return again;
    }
    const FluidProblem problem = ProblemOf(scenario_, states_[i]);
    Optimum optimum = optima_[i];
    if (optimum.limit == Limit::kMemory && PhasesOf(scenario_).size() == 1)
      optimum = BestInMemory(scenario_, problem, std::move(optimum));
    const bool full = searched_.size() < kMostSearches;
    optimum = BestFound(scenario_, problem, std::move(optimum), searched_,
                        full ? SearchEffort::kFull : SearchEffort::kStarts);
    if (full && !optimum.capacity.empty()) searched_.push_back({optimum.workers, optimum.capacity});
    return optimum;
  }

  const SimScenario& scenario_;
  std::vector<Optimum> optima_;
  std::vector<SimState> states_;
  std::vector<std::size_t> done_;
  std::vector<SimSetting> searched_;
};

}  // namespace

Optimum OptimumAt(const SimScenario& scenario, Nanos at) {
  SLUICE_CHECK(Validate(scenario).has_value());
  Optimum optimum = InTurn(scenario, ProblemOf(scenario, StateAt(scenario, at)));
  for (const SimEvent& event : scenario.events) {
    if (event.at <= at) optimum.from = event.at;
  }
  return optimum;
}

std::vector<Optimum> Optima(const SimScenario& scenario) {
  std::vector<Nanos> starts = {Nanos(0)};
  for (const SimEvent& event : scenario.events) starts.push_back(event.at);
  const auto again = std::ranges::unique(starts);
  starts.erase(again.begin(), again.end());
  std::vector<Optimum> optima;
  optima.reserve(starts.size());
  for (const Nanos start : starts) optima.push_back(OptimumAt(scenario, start));
  return optima;
}

std::vector<Optimum> ReachableOptima(const SimScenario& scenario) {
  return Reachable(scenario).All();
}

SimSetting SettingFor(const SimScenario& scenario, const Optimum& optimum) {
  if (optimum.capacity.empty()) return PlainSetting(scenario, optimum);
  return {optimum.workers, optimum.capacity};
}

std::vector<double> SimVisits(const SimScenario& scenario) {
  SLUICE_CHECK(Validate(scenario).has_value());
  const std::vector<double> items = ItemsPerEpoch(scenario);
  std::vector<double> visits;
  visits.reserve(items.size());
  for (const double each : items) visits.push_back(each / items.back());
  return visits;
}

double SimItems(const SimScenario& scenario) {
  SLUICE_CHECK(Validate(scenario).has_value());
  return ItemsPerEpoch(scenario).back();
}

std::vector<double> SimItemBytes(const SimScenario& scenario) {
  SLUICE_CHECK(Validate(scenario).has_value());
  std::vector<double> bytes;
  for (const SimSize& size : SizesOf(scenario)) bytes.push_back(size.out);
  return bytes;
}

}  // namespace sluice::simulator

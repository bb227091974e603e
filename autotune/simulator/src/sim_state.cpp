#include "sim_state.h"

#include <algorithm>

namespace sluice::simulator {
namespace {

// A starved host still gives a little.
constexpr double kLeastCores = 0.01;

void Apply(const SimEvent& event, SimState& state) {
  for (std::size_t i = 0; event.cost && i < state.cost.size(); ++i) {
    if (!event.op || *event.op == i) state.cost[i] = *event.cost;
  }
  state.cores = event.cores.value_or(state.cores);
  state.neighbour = event.neighbour.value_or(state.neighbour);
  state.step = event.step.value_or(state.step);
  state.memory = event.memory.value_or(state.memory);
}

}  // namespace

double SimState::FreeCores() const {
  return std::max(kLeastCores, cores - neighbour);
}

SimState StateAt(const SimScenario& scenario, Nanos at) {
  SimState state;
  state.cost.assign(scenario.ops.size(), 1);
  state.cores = scenario.machine.cores;
  state.memory = scenario.memory;
  if (state.memory.count == 0)
    state.memory.count = scenario.machine.memory.count / 4 / scenario.machine.ranks;
  for (const SimEvent& event : scenario.events) {
    if (event.at <= at) Apply(event, state);
  }
  return state;
}

}  // namespace sluice::simulator

// A made-up scenario: an op of 10 ms on one worker, and a consumer that could take 200 items per second.
#pragma once
#include "sluice/simulator/sim_scenario.h"

namespace sluice::app {

inline simulator::SimScenario SlowOp(Nanos duration) {
  simulator::SimScenario scenario;
  scenario.name = "slow";
  simulator::SimOp list{.name = "list", .kind = simulator::SimKind::kRange};
  list.count = 100'000;
  simulator::SimOp work{.name = "work"};
  work.burn.mean = std::chrono::milliseconds(10);
  scenario.ops = {list, work};
  scenario.consumer.step.mean = std::chrono::milliseconds(5);
  scenario.duration = duration;
  return scenario;
}

}  // namespace sluice::app

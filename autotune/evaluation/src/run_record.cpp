#include "sluice/evaluation/run_record.h"

#include <algorithm>
#include <numeric>

#include "sluice/simulator/sim_plant.h"

namespace sluice::evaluation {
namespace {

double MemoryShare(const simulator::SimTruth& before, const simulator::SimTruth& now, Bytes budget) {
  if (budget.count <= 0) return 0;
  const Bytes most = now.buffered_peak > before.buffered_peak ? now.buffered_peak : now.buffered;
  return static_cast<double>(most.count) / static_cast<double>(budget.count);
}

RunTick TickOf(const simulator::SimTruth& before, const simulator::SimTruth& now, const Snapshot& seen,
               int ranks) {
  RunTick tick;
  tick.at = now.now;
  tick.items = now.items - before.items;
  tick.core_seconds = (now.core_seconds - before.core_seconds) / ranks;
  tick.memory_share = MemoryShare(before, now, seen.budget.memory);
  tick.workers = std::accumulate(now.workers.begin(), now.workers.end(), 0);
  return tick;
}

}  // namespace

RunRecord RunSimulated(const simulator::SimScenario& scenario, autotune::Controller* controller,
                       std::uint64_t seed, const RunObserver& observer) {
  simulator::SimPlant plant(scenario, seed);
  RunRecord record;
  simulator::SimTruth before;  // of nothing: what is there at once counts for the first tick
  while (before.now + simulator::SimPlant::kTick / 2 < scenario.duration) {
    const Snapshot seen = plant.Sense();
    simulator::SimTruth now = plant.Truth();
    RunTick tick = TickOf(before, now, seen, scenario.machine.ranks);
    if (controller != nullptr) {
      Decision decision = controller->Decide(seen);
      tick.limit = decision.verdict.limit;
      tick.limit_op = decision.verdict.op;
      if (!decision.changes.empty()) plant.Act(decision);
      if (observer) observer(seen, decision);
      decision.at = now.now;
      if (!decision.changes.empty() && !decision.advice) record.decisions.push_back(std::move(decision));
    }
    record.ticks.push_back(tick);
    before = std::move(now);
    if (seen.finished) break;
  }
  record.ooms = before.ooms;
  record.workers = before.workers;
  record.capacity = before.capacity;
  return record;
}

}  // namespace sluice::evaluation

#include "sluice/evaluation/run_record.h"

#include <algorithm>
#include <numeric>

#include "sluice/simulator/sim_plant.h"

namespace sluice::evaluation {
namespace {

// What a rank may hold: its budget, and after that has fallen what it then held, until this is gone.
class Allowance {
 public:
  [[nodiscard]] double ShareUsed(const simulator::SimTruth& before, const simulator::SimTruth& now,
                                 Bytes budget) {
    const Bytes most = now.buffered_peak > before.buffered_peak ? now.buffered_peak : now.buffered;
    given_ = budget < budget_ ? std::max(given_, before.buffered) : given_;
    const double share = budget.count > 0 ? Share(most, std::max(budget, given_)) : 0;
    given_ = std::min(given_, now.buffered);
    budget_ = budget;
    return share;
  }

 private:
  static double Share(Bytes held, Bytes allowed) {
    return static_cast<double>(held.count) / static_cast<double>(allowed.count);
  }

  Bytes budget_{0};
  Bytes given_{0};
};

RunTick TickOf(const simulator::SimTruth& before, const simulator::SimTruth& now,
               const simulator::SimScenario& scenario) {
  RunTick tick;
  tick.at = now.now;
  tick.items = now.items - before.items;
  tick.core_seconds = scenario.machine.load.empty()
                          ? (now.core_seconds - before.core_seconds) / scenario.machine.ranks
                          : now.first_core_seconds - before.first_core_seconds;
  tick.workers = std::accumulate(now.workers.begin(), now.workers.end(), 0);
  return tick;
}

}  // namespace

RunRecord RunSimulated(const simulator::SimScenario& scenario, autotune::Controller* controller,
                       std::uint64_t seed, const RunObserver& observer) {
  simulator::SimPlant plant(scenario, seed);
  RunRecord record;
  Allowance allowance;
  simulator::SimTruth before;  // of nothing: what is there at once counts for the first tick
  while (before.now + simulator::SimPlant::kTick / 2 < scenario.duration) {
    const Snapshot seen = plant.Sense();
    simulator::SimTruth now = plant.Truth();
    RunTick tick = TickOf(before, now, scenario);
    tick.memory_share = allowance.ShareUsed(before, now, seen.budget.memory);
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

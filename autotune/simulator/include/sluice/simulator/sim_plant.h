// SimPlant: a pipeline in virtual time, as a Plant. A discrete-event simulation: cores and storage are
// processor-shared, connectors hand out tickets as the live runtime's do, workers are added and retired at
// item boundaries. Deterministic: the same scenario, seed and decisions give the same snapshots, and an op's
// n-th item costs the same whatever the settings are.
//
// Every tick Sense() advances the time and shows rank 0. Decisions apply to all ranks: they are equal
// pipelines under equal controllers, each with its own random draws. Where buffered bytes exceed the
// machine's memory the run is killed: what was buffered is lost, and after SimHost::restart the epoch
// starts over with the knobs as they were at the start.
// One thread.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/base/plant.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

// What really happened since the start, without noise of measuring. Of rank 0 unless said otherwise.
struct SimTruth {
  Nanos now{0};
  std::uint64_t items = 0;  // taken by the consumer
  std::uint64_t rows = 0;
  std::uint64_t lost = 0;       // items in the making or buffered when the run was killed
  std::uint64_t simulated = 0;  // items finished by all ops of all ranks
  Nanos consumer_busy{0};
  Nanos consumer_starved{0};
  double core_seconds = 0;        // all ranks, ops and consumers
  double first_core_seconds = 0;  // of these, rank 0's
  int ooms = 0;                   // how often the run was killed
  bool down = false;              // killed and not yet running again
  Bytes buffered{0};
  Bytes buffered_peak{0};
  std::vector<int> workers;            // in force, per op
  std::vector<std::int64_t> capacity;  // in force, per connector
};

class SimPlant : public Plant {
 public:
  // REQUIRES Validate(scenario). `seed` in place of the scenario's own.
  explicit SimPlant(const SimScenario& scenario);
  SimPlant(SimScenario scenario, std::uint64_t seed);
  ~SimPlant() override;

  static constexpr Nanos kTick = std::chrono::milliseconds(200);

  [[nodiscard]] Snapshot Sense() override;
  // In force about 2 ms later. Values are kept within the knob's bounds; what the user holds is changed by
  // the user's decisions only, and these make the user the holder. Advice changes nothing.
  void Act(const Decision& decision) override;

  // Length of the ticks from now on, for experiments. REQUIRES tick > 0.
  void set_tick(Nanos tick);
  [[nodiscard]] SimTruth Truth() const;
  [[nodiscard]] const SimScenario& scenario() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::simulator

// RateMeter: what a scenario makes with one setting if the world stays as it is at one moment: measured, by
// simulating it. Immutable; the same setting, items and seed give the same rate.
#pragma once
#include <cstdint>
#include <vector>

#include "sluice/simulator/optimum.h"
#include "sluice/simulator/sim_plant.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

struct MeasuredRate {
  double rate = 0;       // consumer items per second
  double error = 0;      // its standard error
  double simulated = 0;  // items of all ops and ranks: what measuring has cost
};

struct MeasureLength {
  double items = 0;      // of the consumer
  double simulated = 0;  // ... but no more than this of all ops and ranks
};

class RateMeter {
 public:
  // As the scenario is from optimum.from on; its rate says how long items take. REQUIRES a finite rate.
  RateMeter(const SimScenario& scenario, const Optimum& optimum);

  // After a warm-up; over two or more whole epochs where one moment of them is not like another.
  [[nodiscard]] MeasuredRate Of(const SimSetting& setting, const MeasureLength& length,
                                std::uint64_t seed) const;

 private:
  [[nodiscard]] MeasuredRate OverTime(SimPlant& plant, double items) const;
  [[nodiscard]] MeasuredRate OverEpochs(SimPlant& plant, double items) const;

  const SimScenario scenario_;  // for ever as it is then
  const double rate_;
  const double epoch_;      // consumer items that make a measurement comparable; 0: any number
  const double all_items_;  // of all ops and ranks, per consumer item
};

}  // namespace sluice::simulator

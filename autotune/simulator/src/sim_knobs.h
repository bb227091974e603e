// SimKnobs: the knobs of a simulated run, who holds them, and what has been asked for. One thread.
#pragma once
#include <vector>

#include "sluice/base/decision.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::simulator {

class SimKnobs {
 public:
  explicit SimKnobs(const SimScenario& scenario);

  // Notes the changes that are allowed, within bounds. True: something is to be applied.
  bool Request(const Decision& decision);
  // Puts all requests in force and says which knobs that changed.
  [[nodiscard]] std::vector<Knob> Apply();
  // As at the start, but for the holders; says which knobs that changed.
  [[nodiscard]] std::vector<Knob> Reset();

  [[nodiscard]] const std::vector<Knob>& all() const { return knobs_; }

 private:
  std::vector<Knob> knobs_;
  std::vector<std::int64_t> start_;
};

}  // namespace sluice::simulator

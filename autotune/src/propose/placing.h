// Placing: on which NUMA nodes the ops should live. What that gains no model tells, so a trial does; no plan
// is proposed twice until conditions change, and no more than a few. One thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "propose/planner.h"

namespace sluice::autotune {

class Placing {
 public:
  struct Proposal {
    Plan plan;
    std::string because;
  };
  // `measured`: consumer items per second. nullopt: nothing can be placed, all is in its place, or
  // there was enough of it.
  [[nodiscard]] std::optional<Proposal> Propose(const Snapshot& seen, const Planner& planner,
                                                const PipelineEstimate& estimate, double measured);
  void Reopen() { proposed_.clear(); }

 private:
  std::vector<std::vector<std::int64_t>> proposed_;  // Setting::placement
};

}  // namespace sluice::autotune

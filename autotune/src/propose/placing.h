// Placing: on which NUMA nodes the ops should live, proposed once for each state of the world: what it gains
// no model tells, so a trial does. One thread.
#pragma once
#include <optional>
#include <string>

#include "propose/planner.h"

namespace sluice::autotune {

class Placing {
 public:
  struct Proposal {
    Plan plan;
    std::string because;
  };
  // `measured`: consumer items per second. nullopt: nothing can be placed, all is in its place, or it has
  // been proposed before.
  [[nodiscard]] std::optional<Proposal> Propose(const Snapshot& seen, const Planner& planner,
                                                const PipelineEstimate& estimate, double measured);
  void Reopen() { proposed_ = false; }

 private:
  bool proposed_ = false;
};

}  // namespace sluice::autotune

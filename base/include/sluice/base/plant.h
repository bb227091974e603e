// Plant: what is being controlled. A live pipeline, a wrapped trainer and the simulator look the same
// from here, so the same controller runs against each.
#pragma once
#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"

namespace sluice {

// One thread (the agent's).
class Plant {
 public:
  virtual ~Plant() = default;
  [[nodiscard]] virtual Snapshot Sense() = 0;
  // Requests the changes; they are in force once a later snapshot's knobs say so.
  virtual void Act(const Decision& decision) = 0;
};

}  // namespace sluice

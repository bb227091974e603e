// Controller: the seam every tuning policy fits. It reads no clock, starts no thread, does no I/O and logs
// nothing; time comes in with the snapshot, reasons leave with the decision. The same object runs against
// the live pipeline, a wrapped trainer, a replayed session and the simulator.
#pragma once
#include "sluice/base/decision.h"
#include "sluice/base/snapshot.h"

namespace sluice::autotune {

// One thread (the agent's).
class Controller {
 public:
  virtual ~Controller() = default;
  // Called at every tick, about five times a second, with growing `seen.at`. A decision with id 0 changes
  // nothing but still carries the current verdict and the outcomes of earlier decisions.
  [[nodiscard]] virtual Decision Decide(const Snapshot& seen) = 0;
};

}  // namespace sluice::autotune

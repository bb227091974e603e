// Controller: the seam every tuning policy fits. It reads no clock, starts no thread, does no I/O and logs
// nothing; time comes in with the snapshot, reasons leave with the decision. The same object runs against
// the live pipeline, a wrapped trainer, a replayed session and the simulator.
#pragma once
#include <optional>
#include <vector>

#include "sluice/base/belief.h"
#include "sluice/base/decision.h"
#include "sluice/base/forecast.h"
#include "sluice/base/snapshot.h"

namespace sluice::autotune {

// One thread (the agent's).
class Controller {
 public:
  virtual ~Controller() = default;
  // Called at every tick, about five times a second, with growing `seen.at`. A decision with id 0 changes
  // nothing but still carries the current verdict and the outcomes of earlier decisions.
  [[nodiscard]] virtual Decision Decide(const Snapshot& seen) = 0;
  // What it expects of the run with these changes, as of `seen`; it makes none of them. nullopt: it knows too
  // little of this run yet, or has no model of one.
  [[nodiscard]] virtual std::optional<Forecast> Foresee(const Snapshot& /*seen*/,
                                                        const std::vector<KnobChange>& /*changes*/) {
    return std::nullopt;
  }
  // What it believed in the last call. As long as the graph is the same, so are the names. Empty: it has
  // nothing to tell.
  [[nodiscard]] virtual std::vector<Belief> DebugState() const { return {}; }
};

}  // namespace sluice::autotune

// Somebody else's run as the lap meets it: a plant that can be seen and not touched, and a controller that
// only says what limits it. For `sluice top` and the window.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/autotune/controller.h"
#include "sluice/base/plant.h"
#include "sluice/exporters/decision_log.h"
#include "sluice/probes/sampler.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::app {

// Living ones, sorted by process and program. `pid`: of this process only; `loader`: with this in their
// names.
[[nodiscard]] std::vector<probes::FoundSegment> FindWatchable(std::optional<int> pid,
                                                              const std::string& loader);

// REQUIRES: `found` is one of these.
[[nodiscard]] const probes::SegmentIdentity& IdentityOf(const probes::FoundSegment& found);

// One thread.
class WatchedPlant : public Plant {
 public:
  explicit WatchedPlant(probes::SegmentReader reader);
  Snapshot Sense() override;
  void Act(const Decision&) override {}
  [[nodiscard]] const probes::SegmentReader& reader() const { return sampler_.reader(); }

 private:
  probes::Sampler sampler_;
};

// Says what limits the run by looking at it, and tells the decisions that its own agent has logged. One
// thread.
class Onlooker : public autotune::Controller {
 public:
  // `reader` outlives it.
  explicit Onlooker(const probes::SegmentReader& reader);
  Decision Decide(const Snapshot& seen) override;
  void Read(exporters::DecisionLog& log) const;

 private:
  const probes::SegmentReader& reader_;
  std::unique_ptr<autotune::Controller> judge_;
};

}  // namespace sluice::app

// SimSession: a simulated run as a session, so that whatever shows a recorded run shows it as well: tick by
// tick what was measured, what limits the run, and the decisions. One thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sluice/autotune/controller.h"
#include "sluice/exporters/whole_session.h"
#include "sluice/simulator/sim_scenario.h"

namespace sluice::app {

class SimSession {
 public:
  SimSession();

  // A rule that says nothing of what limits the run is helped out by what Sluice sees of it. `beliefs`: the
  // rule's own.
  void See(const Snapshot& seen, const Decision& decision, const std::vector<Belief>& beliefs);
  // Its name is that of the scenario, with the controller's and the seed. Errors name the file.
  [[nodiscard]] Result<void> Write(const std::string& file, const simulator::SimScenario& scenario,
                                   const std::string& controller, std::uint64_t seed) const;

 private:
  std::unique_ptr<autotune::Controller> onlooker_;
  exporters::WholePipeline pipeline_;
};

}  // namespace sluice::app

// What memory of other nodes costs. Pure functions of what was read.
#pragma once
#include <optional>
#include <vector>

#include "doctor/doctor_words.h"
#include "doctor/measured_runs.h"
#include "sluice/base/topology.h"
#include "sluice/base/units.h"
#include "sluice/probes/numa_counts.h"

namespace sluice::app {

struct NumaLook {
  std::vector<probes::NodeCounts> counts{};  // empty: the kernel tells none
  std::optional<Nanos> over{};               // nullopt: since the machine was started
  probes::NumaSettings settings{};
};

// What was given between two looks where that is enough to say something, else all since the start.
[[nodiscard]] NumaLook ChooseCounts(const std::vector<probes::NodeCounts>& before,
                                    const std::vector<probes::NodeCounts>& after, Nanos passed);

// Remote share, unbound runs, pages of the runs, balancing, zone reclaim; of a machine of one node, that it
// is one.
[[nodiscard]] std::vector<DoctorCheck> NumaChecks(const NumaLook& look, const Topology& topology,
                                                  const std::vector<MeasuredRun>& runs);

}  // namespace sluice::app

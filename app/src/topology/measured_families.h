// The measured processes of this user that are alive, with all that descends from them, as to their places.
#pragma once
#include <vector>

#include "sluice/base/topology.h"
#include "sluice/exporters/topology_report.h"

namespace sluice::app {

// One for each process that no other measured one has started.
[[nodiscard]] std::vector<exporters::PlacedFamily> MeasuredFamilies();

// What is wrong with where they may run.
[[nodiscard]] std::vector<PlaceFinding> FindingsOf(const Topology& topology,
                                                   const std::vector<exporters::PlacedFamily>& families);

}  // namespace sluice::app

// Threads that a launcher, an OpenMP runtime or a shell has pinned where they hinder each other. Immutable
// functions on values.
#pragma once
#include <vector>

#include "sluice/base/process_place.h"
#include "sluice/base/topology.h"

namespace sluice::autotune {

// A run, or a rank of it: a process, first, and all that descends from it.
using Family = std::vector<ProcessPlace>;  // never empty, nor are the threads of its processes

// What is wrong for whatever this process starts: its own mask, and variables that pin.
[[nodiscard]] std::vector<PlaceFinding> FindBeforeStart(const Topology& topology, const ProcessPlace& shell);

// What is wrong with runs that are there. Workers are the processes that a run has started, or, without such,
// its threads; those that hardly ran do not count, as they cannot be in the way.
//   kCrowded: a run's workers may use fewer CPUs than they are, of more that are allowed
//   kOneNode: all of several runs are held on one node, and others have none
//   kDoubledCores: workers pinned to both threads of a core, and whole cores have no worker
[[nodiscard]] std::vector<PlaceFinding> FindWrongMasks(const Topology& topology,
                                                       const std::vector<Family>& families);

}  // namespace sluice::autotune

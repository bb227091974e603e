// Visits: how many items of each op one consumer item needs (the visit ratio V of operational analysis:
// Denning, Buzen, "The operational analysis of queueing network models", 1978).
//
// The graph's rows_per_item give the expected ratio; what connectors and ops counted overrules it where an
// op filters, repeats or pads.
#pragma once
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::autotune {

// One entry per op, 0 for parts, else > 0: while it has work, behind a concat (phases.h) that is while its
// turn lasts.
[[nodiscard]] std::vector<double> Visits(const Snapshot& seen);

// The op whose counter measures the whole pipeline most finely: of the ops with the most items per consumer
// item, the one nearest to the consumer, where buffers that fill or drain matter least. It has work in each
// phase (phases.h): nothing before a concat does.
[[nodiscard]] std::size_t FinestOp(const Graph& graph, const std::vector<double>& visits);

// The op that feeds the consumer.
[[nodiscard]] std::size_t LastOp(const Graph& graph);

}  // namespace sluice::autotune

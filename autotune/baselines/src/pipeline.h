// What the rules ask of a snapshot: shape, settings, limits. Immutable functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/base/snapshot.h"

namespace sluice::baselines {

[[nodiscard]] KnobId WorkersOf(std::size_t op);
[[nodiscard]] KnobId CapacityOf(std::size_t connector);

// nullptr where there is no such knob.
[[nodiscard]] const Knob* Find(const Snapshot& seen, KnobId id);
// A rule may move it while the run goes on: not pinned, not for the next run, with a choice.
[[nodiscard]] bool Free(const Knob& knob);
[[nodiscard]] bool Free(const Snapshot& seen, KnobId id);
// A rule may move it, and has, but it is not in force yet.
[[nodiscard]] bool Pending(const Knob& knob);

// What is in force; the reading where there is no knob.
[[nodiscard]] int Workers(const Snapshot& seen, std::size_t op);
[[nodiscard]] std::int64_t Capacity(const Snapshot& seen, std::size_t connector);

// Ops whose workers may be moved.
[[nodiscard]] std::vector<std::size_t> FreeOps(const Snapshot& seen);
// The knob's bounds; only what is in force where it is not free.
struct Bounds {
  int least = 1;
  int most = 1;
};
[[nodiscard]] Bounds WorkerBounds(const Snapshot& seen, std::size_t op);

// "The machine's hardware threads" of the published rules: whole cores of the budget, at least 1.
[[nodiscard]] int WholeCores(const Snapshot& seen);

// Connectors into and out of an op, and the one that the consumer takes from.
[[nodiscard]] std::vector<std::size_t> InputsOf(const Graph& graph, std::size_t op);
[[nodiscard]] std::optional<std::size_t> OutputOf(const Graph& graph, std::size_t op);
[[nodiscard]] std::size_t FinalConnector(const Graph& graph);

// Items taken from the connector for one item of the op behind it: the batch size where that is known from
// the graph, measured where only the data decide (filter, repeat, concat, ...).
[[nodiscard]] double ItemsPerOutput(const Snapshot& seen, std::size_t connector);
// Items each op makes per item that the consumer takes: the product of the ratios on the way there.
[[nodiscard]] std::vector<double> Visits(const Snapshot& seen);

}  // namespace sluice::baselines

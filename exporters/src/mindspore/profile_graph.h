// The ops of a profile as a graph of ours. Immutable functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mindspore/pipeline_file.h"
#include "sluice/base/graph.h"

namespace sluice::exporters {

// Ops and connectors of the graph, and where they stand in PipelineFile::ops.
struct ProfileGraph {
  std::shared_ptr<const Graph> graph;
  std::vector<std::size_t> ops;
  std::vector<std::size_t> connectors;  // the op whose queue it is
  bool makes_batches = false;           // so that an item of the last op holds several rows
};

// An op without a queue is a part of the one behind it, and whoever sends to a device is the consumer.
// Without a connector: nothing in it has a queue.
[[nodiscard]] ProfileGraph GraphOf(const PipelineFile& file, std::optional<std::uint32_t> batch_size);

// Of a pipeline of which nothing is known but its last queue.
[[nodiscard]] ProfileGraph UnknownGraph(std::optional<std::uint32_t> batch_size);

}  // namespace sluice::exporters

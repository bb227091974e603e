// Graph: the shape of a pipeline as a plain value. Immutable once a run has started.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

// Indices into Graph::ops and Graph::connectors.
enum class OpId : std::uint32_t {};
enum class ConnectorId : std::uint32_t {};
constexpr std::size_t Index(OpId id) {
  return static_cast<std::size_t>(id);
}
constexpr std::size_t Index(ConnectorId id) {
  return static_cast<std::size_t>(id);
}

struct OpInfo {
  std::string name;     // unique in the graph, e.g. "decode"
  std::string kind;     // "source", "map", "shuffle", "batch", "repeat", ...
  bool serial = false;  // more than one worker is not possible
  // Rows that one item of this op's output holds: the batch size after a batch op, else 1.
  std::uint32_t rows_per_item = 1;
  // Its items are those it takes, in the same memory: a worker never holds both.
  bool passes_on = false;
  // Neither files nor the network: what it waits for is no storage.
  bool reads_nothing = false;
};

// The buffer between two ops, or between the last op and the consumer.
struct ConnectorInfo {
  std::string name;  // "decode->batch"
  OpId from;
  std::optional<OpId> to;  // nullopt: the consumer
};

// Ops in topological order, sources first. A DAG: an op may have several inputs.
struct Graph {
  std::vector<OpInfo> ops;
  std::vector<ConnectorInfo> connectors;

  // Whether nothing flows through the op: it is a step inside another op's workers, counted for itself.
  [[nodiscard]] bool IsPart(std::size_t op) const;
};

}  // namespace sluice

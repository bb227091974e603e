// A pipeline of ops in a row, for programs that measure what is told or shown of one.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "sluice/base/graph.h"

namespace sluice::bench {

inline std::shared_ptr<const Graph> Chain(std::uint32_t ops) {
  Graph graph;
  for (std::uint32_t i = 0; i < ops; ++i)
    graph.ops.push_back({.name = fmt::format("op{}", i), .kind = "map"});
  for (std::uint32_t i = 0; i < ops; ++i) {
    const auto to = i + 1 < ops ? std::optional(OpId{i + 1}) : std::nullopt;
    graph.connectors.push_back({.name = fmt::format("op{}->", i), .from = OpId{i}, .to = to});
  }
  return std::make_shared<const Graph>(std::move(graph));
}

}  // namespace sluice::bench

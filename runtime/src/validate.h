// What is wrong with a description, as a value: Validate() makes a sentence of it, the reader of scenario
// files adds the line. Immutable functions.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/runtime/description.h"

namespace sluice::runtime {

// The most that a knob can be, whatever its bounds.
inline constexpr int kMaxWorkers = 1024;
inline constexpr int kMaxCapacity = 1 << 20;

// Something wrong in one op. `field` is named as in a scenario file; empty: the op as a whole.
struct Finding {
  std::string field;
  std::string message;
  std::optional<std::size_t> transform;  // which of the op's transforms
};

// The first finding of a pipeline. `op` is empty where it concerns the whole pipeline.
struct Problem {
  std::optional<std::size_t> op;
  Finding finding;
};

[[nodiscard]] std::optional<Problem> FindProblem(const PipelineDescription& pipeline);
// Also for the consumer's step.
[[nodiscard]] std::optional<Finding> CheckDistribution(std::string_view field, const Distribution& d);

// What flows between the ops: whether each transform can take its row, whether what a zip or a concat joins
// goes together, and whether an endless pipeline ever yields an item. REQUIRES: the inputs of all ops are in
// order.
[[nodiscard]] std::optional<Problem> FindRowProblem(const PipelineDescription& pipeline);
[[nodiscard]] std::optional<Problem> FindMixedPairs(const PipelineDescription& pipeline);
[[nodiscard]] std::optional<Problem> FindEndlessNothing(const PipelineDescription& pipeline);

[[nodiscard]] inline std::optional<Finding> First(std::initializer_list<std::optional<Finding>> findings) {
  for (const auto& finding : findings) {
    if (finding) return finding;
  }
  return std::nullopt;
}

// "workers: 0 is outside 1..64"; NaN is outside of everything.
template <typename T>
[[nodiscard]] std::optional<Finding> InRange(std::string_view field, T value, T low, T high) {
  if (value >= low && value <= high) return std::nullopt;
  return Finding{std::string(field), fmt::format("{} is outside {}..{}", value, low, high), {}};
}

}  // namespace sluice::runtime

// What both formats of a trace say alike. Immutable functions.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/exporters/trace.h"

namespace sluice::exporters {

// "rank 3: train.py: loader (pid 4711)"
[[nodiscard]] std::string PipelineTitle(const TracePipeline& pipeline);
[[nodiscard]] const char* SpanCategory(const TraceSpan& span);  // "op", "step", "wait"

// A value over time.
struct TraceCounter {
  enum class Unit : std::uint8_t { kItems, kBytes, kCount };
  std::string name;    // "decode->batch"
  const char* series;  // "depth"
  Unit unit = Unit::kCount;
  std::int64_t value = 0;
};
// Always the same ones in the same order for one graph.
[[nodiscard]] std::vector<TraceCounter> CountersOf(const Snapshot& now);

// An arrow leads from the span that made an item to the one that took it: by what both say of it. Of many
// items, the first ones.
inline constexpr std::uint32_t kMostFlows = 8;
template <typename Each>
void ForEachFlow(std::uint32_t pipeline, const std::optional<TraceItems>& items, Each each) {
  if (!items) return;
  const std::uint64_t lane = std::uint64_t{pipeline} << 52 | std::uint64_t{items->connector & 0xFF} << 44;
  for (std::uint32_t i = 0; i < std::min(items->run, kMostFlows); ++i)
    each(lane | ((items->first + i) & ((std::uint64_t{1} << 44) - 1)));
}

// The names of their ops.
class TracedPipelines {
 public:
  // `shown`: how a name stands in the file.
  template <typename Shown>
  void Add(const TracePipeline& pipeline, Shown shown) {
    std::vector<std::string>& ops = ops_[pipeline.number];
    ops.clear();
    if (pipeline.graph == nullptr) return;
    for (const OpInfo& op : pipeline.graph->ops) ops.push_back(shown(op.name));
  }
  // "decode", "starved", "backed up"; the consumer's: "step", "starved".
  [[nodiscard]] std::string_view SpanName(const TraceSpan& span) const;

 private:
  std::map<std::uint32_t, std::vector<std::string>> ops_;
};

}  // namespace sluice::exporters

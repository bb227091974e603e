// Where everything lies in a segment that this version writes. Immutable functions.
#pragma once
#include <cstddef>
#include <cstdint>

#include "sluice/probes/segment_layout.h"

namespace sluice::probes {

struct SegmentPlan {
  segment::Section ops, connectors, consumer, steps, knobs, decisions, events, workers;
  std::uint64_t total_size = 0;  // whole pages
};
[[nodiscard]] SegmentPlan PlanSegment(std::size_t ops, std::size_t connectors, std::size_t knobs);

}  // namespace sluice::probes

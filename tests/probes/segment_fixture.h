// A small pipeline's segment for tests: read -> decode -> the consumer, one knob of each kind.
#pragma once
#include <string>
#include <vector>

#include "sluice/probes/segment_writer.h"

namespace sluice::probes {

inline Graph SmallGraph() {
  return {{{.name = "read", .kind = "source", .serial = true},
           {.name = "decode", .kind = "map", .passes_on = true, .reads_nothing = true},
           {.name = "batch", .kind = "batch", .serial = true, .rows_per_item = 64}},
          {{"read->decode", OpId{0}, OpId{1}},
           {"decode->batch", OpId{1}, OpId{2}},
           {"batch->consumer", OpId{2}, std::nullopt}}};
}

inline Knob SmallKnob(KnobId id, const std::string& name, std::int64_t value, std::int64_t max) {
  Knob knob;
  knob.id = id;
  knob.name = name;
  knob.value = value;
  knob.max = max;
  return knob;
}

inline std::vector<Knob> SmallKnobs() {
  return {SmallKnob({KnobKind::kWorkers, 1}, "decode.workers", 2, 8),
          SmallKnob({KnobKind::kCapacity, 1}, "decode.capacity", 4, 64)};
}

inline SegmentOptions PrivateSegment() {
  SegmentOptions options;
  options.program = "test";
  options.shared = false;
  return options;
}

inline SegmentOptions SegmentIn(const std::string& folder) {
  SegmentOptions options;
  options.program = "test";
  options.folder = folder;
  return options;
}

}  // namespace sluice::probes

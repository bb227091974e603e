// SegmentShape: everything of a segment that does not change, checked. Nothing else of the header's table
// of sections is looked at again, so a segment that changes under the reader cannot move a bound.
// Immutable.
#pragma once
#include <memory>
#include <vector>

#include "segment/segment_source.h"
#include "sluice/base/error.h"
#include "sluice/base/graph.h"
#include "sluice/base/knob.h"
#include "sluice/probes/segment_layout.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {

struct SegmentShape {
  SegmentIdentity identity;
  segment::Section ops, connectors, consumer, knobs, decisions, events, workers;
  segment::Section steps;  // count 0: an older version, which has none
  std::shared_ptr<const Graph> graph;
  std::vector<Knob> knobs_at_start;  // names, ids, bounds
};
// Errors name the source, the field and what is wrong with it.
[[nodiscard]] Result<SegmentShape> ReadShape(const SegmentSource& source);

// A private copy of the header. One thread.
class HeaderCopy {
 public:
  // What the source no longer has stays as it was.
  void Renew(const SegmentSource& source) { source.Copy(0, bytes_); }
  [[nodiscard]] const segment::Header& operator*() const;
  [[nodiscard]] const segment::Header* operator->() const { return &**this; }

 private:
  alignas(64) std::byte bytes_[sizeof(segment::Header)] = {};
};

}  // namespace sluice::probes

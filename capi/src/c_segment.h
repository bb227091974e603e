// The handle behind sluice_segment: the creator's writer, or only a view of somebody else's segment.
// Thread-safe where sluice.h says so: after its construction nothing of it changes.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sluice.h"
#include "sluice/probes/segment_view.h"
#include "sluice/probes/segment_writer.h"
#include "sluice/probes/span_recorder.h"

struct sluice_segment {
  std::unique_ptr<sluice::probes::SegmentWriter> writer;  // nullptr: attached
  sluice::probes::SegmentView view;
  std::string path;
  std::string warning;
  pid_t maker = 0;
  std::vector<sluice::probes::segment::WorkerSlot*> parts;  // by op; nullptr: not a part
  std::unique_ptr<sluice::probes::SpanRecorder> spans;      // never nullptr
};

namespace sluice::capi {

// Both also say why in sluice_last_error().
sluice_status NoSegment() noexcept;
sluice_status NoSuch(const char* what, uint32_t index) noexcept;

// What `last` holds, or `now` if it is later: times of several processes meet here.
inline int64_t NotBefore(int64_t now, int64_t last) {
  return now < last ? last : now;
}

}  // namespace sluice::capi

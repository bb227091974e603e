#include "c_segment.h"
#include "c_status.h"
#include "sluice/probes/span_layout.h"

using sluice::capi::NoSegment;
using sluice::capi::NoSuch;

const int64_t* sluice_trace_until(const sluice_segment* segment) {
  if (segment == nullptr) return nullptr;
  return reinterpret_cast<const int64_t*>(&segment->view.header().trace_until);
}

sluice_status sluice_items(sluice_segment* segment, uint32_t worker, uint64_t in, uint32_t ins, uint64_t out,
                           uint32_t outs) {
  if (segment == nullptr) return NoSegment();
  const bool consumer = worker == SLUICE_CONSUMER;
  if (!consumer && segment->view.worker(worker) == nullptr) return NoSuch("worker", worker);
  if (!segment->spans->On(sluice_now())) return SLUICE_OK;
  segment->spans->Number(consumer ? sluice::probes::segment::kConsumerTrack : worker,
                         {.in = in, .out = out, .ins = ins, .outs = outs});
  return SLUICE_OK;
}

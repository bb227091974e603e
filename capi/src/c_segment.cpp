#include "c_segment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "c_description.h"
#include "c_status.h"

using sluice::capi::Guarded;
using sluice::capi::NoSegment;
using sluice::capi::Refuse;
using sluice::probes::SegmentOptions;
using sluice::probes::SegmentView;
using sluice::probes::SegmentWriter;

namespace sluice::capi {

sluice_status NoSegment() noexcept {
  return Refuse(SLUICE_INVALID, "the segment is NULL");
}

sluice_status NoSuch(const char* what, uint32_t index) noexcept {
  return Guarded([&] { return Refuse(SLUICE_INVALID, fmt::format("there is no {} {}", what, index)); });
}

}  // namespace sluice::capi

namespace {

// A part's one slot was handed out before any worker's.
void FindParts(sluice_segment& segment) {
  segment.parts.assign(segment.view.op_count(), nullptr);
  for (uint32_t op = 0; op < segment.view.op_count(); ++op) {
    if (std::string_view(segment.view.op(op)->kind, 3) != "in ") continue;
    for (uint32_t i = 0; i < segment.view.op_count() && segment.parts[op] == nullptr; ++i) {
      auto* slot = segment.view.worker(i);
      if (slot != nullptr && slot->op.load(std::memory_order_relaxed) == op) segment.parts[op] = slot;
    }
  }
}

void Complete(sluice_segment& segment, const std::string& path) {
  FindParts(segment);
  segment.spans = std::make_unique<sluice::probes::SpanRecorder>(segment.view.header(), path);
}

void SetCapacities(const SegmentView& view, const sluice_description& description) {
  for (uint32_t c = 0; c < description.capacities.size(); ++c) {
    view.connector(c)->capacity.store(description.capacities[c], std::memory_order_relaxed);
  }
}

sluice_status Create(const sluice_description& description, const char* folder, sluice_segment** segment) {
  SegmentOptions options;
  options.folder = folder == nullptr ? "" : folder;
  options.program = description.program;
  options.run_id = description.run_id;
  auto writer =
      std::make_unique<SegmentWriter>(options, description.graph, description.knobs, description.budget);
  auto view = SegmentView::Over(writer->bytes());
  if (!view) return Refuse(SLUICE_INVALID, view.error().message);
  SetCapacities(*view, description);
  for (const uint32_t part : description.parts) static_cast<void>(view->AddWorker(part));
  const std::string path = writer->path(), warning = writer->warning();
  auto made = std::make_unique<sluice_segment>(
      sluice_segment{std::move(writer), std::move(*view), path, warning, getpid(), {}, nullptr});
  Complete(*made, path);
  *segment = made.release();
  return SLUICE_OK;
}

}  // namespace

sluice_status sluice_create(const sluice_description* description, const char* folder,
                            sluice_segment** segment) {
  if (description == nullptr || segment == nullptr) return Refuse(SLUICE_INVALID, "an argument is NULL");
  return Guarded([&] { return Create(*description, folder, segment); });
}

sluice_status sluice_attach(const char* path, sluice_segment** segment) {
  if (path == nullptr || segment == nullptr) return Refuse(SLUICE_INVALID, "an argument is NULL");
  return Guarded([&]() -> sluice_status {
    auto view = SegmentView::Open(path);
    if (!view) return Refuse(SLUICE_UNREADABLE, view.error().message);
    auto made =
        std::make_unique<sluice_segment>(sluice_segment{nullptr, std::move(*view), "", "", 0, {}, nullptr});
    Complete(*made, path);
    *segment = made.release();
    return SLUICE_OK;
  });
}

void sluice_close(sluice_segment* segment) {
  delete segment;
}

const char* sluice_path(const sluice_segment* segment) {
  return segment == nullptr ? "" : segment->path.c_str();
}

const char* sluice_warning(const sluice_segment* segment) {
  return segment == nullptr ? "" : segment->warning.c_str();
}

sluice_status sluice_set_running(sluice_segment* segment) {
  if (segment == nullptr) return NoSegment();
  segment->view.header().state.store(static_cast<uint32_t>(sluice::probes::segment::RunState::kRunning),
                                     std::memory_order_release);
  return SLUICE_OK;
}

sluice_status sluice_set_epoch(sluice_segment* segment, uint64_t epoch) {
  if (segment == nullptr) return NoSegment();
  segment->view.header().epoch.store(epoch, std::memory_order_relaxed);
  return SLUICE_OK;
}

sluice_status sluice_epoch_begun(sluice_segment* segment, uint64_t length) {
  if (segment == nullptr) return NoSegment();
  auto& header = segment->view.header();
  header.epoch_length.store(length, std::memory_order_relaxed);
  const uint64_t starved = segment->view.consumer().starved_ns.load(std::memory_order_relaxed);
  header.starting_from.store(starved + 1, std::memory_order_release);
  return SLUICE_OK;
}

sluice_status sluice_start_took(sluice_segment* segment, uint64_t run, uint64_t worker) {
  if (segment == nullptr) return NoSegment();
  auto& header = segment->view.header();
  if (run > 0) header.start_ns.store(run, std::memory_order_relaxed);
  if (worker > 0) header.start_cpu_ns.store(worker, std::memory_order_relaxed);
  return SLUICE_OK;
}

sluice_status sluice_epoch_ended(sluice_segment* segment, uint64_t took, uint64_t first, uint64_t items,
                                 int64_t workers, int64_t capacity) {
  if (segment == nullptr) return NoSegment();
  auto& header = segment->view.header();
  header.epoch_ns.store(took, std::memory_order_release);
  header.epoch_first_ns.store(first, std::memory_order_release);
  header.epoch_items.store(items, std::memory_order_release);
  header.epoch_workers.store(workers, std::memory_order_release);
  header.epoch_capacity.store(capacity, std::memory_order_release);
  sluice::probes::segment::Add(header.epochs_ended, 1);
  return SLUICE_OK;
}

sluice_status sluice_set_buffered(sluice_segment* segment, int64_t bytes) {
  if (segment == nullptr) return NoSegment();
  auto& header = segment->view.header();
  header.buffered_bytes.store(bytes, std::memory_order_relaxed);
  if (bytes > header.buffered_peak.load(std::memory_order_relaxed))
    header.buffered_peak.store(bytes, std::memory_order_relaxed);
  return SLUICE_OK;
}

sluice_status sluice_heartbeat(sluice_segment* segment, int64_t now) {
  if (segment == nullptr) return NoSegment();
  segment->view.header().heartbeat.store(now, std::memory_order_relaxed);
  return SLUICE_OK;
}

sluice_status sluice_log_event(sluice_segment* segment, int64_t now, const char* sentence) {
  if (segment == nullptr || sentence == nullptr) return NoSegment();
  if (segment->writer == nullptr || segment->maker != getpid())
    return Refuse(SLUICE_NOT_OWNER, "only the process that created the segment writes its log");
  return Guarded([&]() -> sluice_status {
    segment->writer->LogEvent(now, sentence);
    return SLUICE_OK;
  });
}

// SegmentView: the places to write to in a segment that exists already: from a worker process of the run,
// or over the bytes of this process's own SegmentWriter.
//
// The shape is checked once; places are handed out by index, nullptr where there is none. The view is
// immutable and thread-safe; who may write to a place is said in segment_layout.h. Places live as long as the
// view (Open) or the bytes (Over).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sluice/base/error.h"
#include "sluice/probes/segment_layout.h"

namespace sluice::probes {

class SegmentView {
 public:
  // Maps the file for writing. Errors name the file.
  [[nodiscard]] static Result<SegmentView> Open(const std::string& path);
  [[nodiscard]] static Result<SegmentView> Over(std::span<std::byte> bytes);
  SegmentView(SegmentView&&) noexcept;
  SegmentView& operator=(SegmentView&&) noexcept;
  ~SegmentView();

  [[nodiscard]] segment::Header& header() const;
  [[nodiscard]] segment::ConsumerEntry& consumer() const;
  [[nodiscard]] segment::StepEntry* steps() const;  // nullptr: it is an older version's
  [[nodiscard]] std::uint32_t op_count() const;
  [[nodiscard]] segment::OpEntry* op(std::uint32_t i) const;
  [[nodiscard]] segment::ConnectorEntry* connector(std::uint32_t i) const;
  [[nodiscard]] segment::KnobCell* knob(std::uint32_t i) const;
  [[nodiscard]] segment::WorkerSlot* worker(std::uint32_t slot) const;  // one that was handed out
  // A fresh slot for a worker of `op`; nullopt: no such op, or all slots are used. Thread-safe, also between
  // processes.
  [[nodiscard]] std::optional<std::uint32_t> AddWorker(std::uint32_t op) const;
  // The ring of decisions.
  [[nodiscard]] std::uint32_t decision_count() const;
  [[nodiscard]] segment::RingRecord* decision(std::uint32_t i) const;

 private:
  struct Impl;
  explicit SegmentView(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::probes

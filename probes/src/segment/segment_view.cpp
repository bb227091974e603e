#include "sluice/probes/segment_view.h"

#include <cstdint>
#include <utility>

#include "segment/claim_slot.h"
#include "segment/mapping.h"
#include "segment/segment_shape.h"
#include "segment/segment_source.h"

namespace sluice::probes {

struct SegmentView::Impl {
  Impl(SegmentShape checked, Mapping mapped, std::span<std::byte> memory)
      : shape(std::move(checked)), mapping(std::move(mapped)), bytes(memory) {}

  template <typename Entry>
  [[nodiscard]] Entry* At(const segment::Section& section, std::uint32_t i) const {
    if (i >= section.count) return nullptr;
    return reinterpret_cast<Entry*>(bytes.data() + section.offset + std::size_t{i} * section.stride);
  }

  const SegmentShape shape;
  const Mapping mapping;
  const std::span<std::byte> bytes;
};

SegmentView::SegmentView(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SegmentView::SegmentView(SegmentView&&) noexcept = default;
SegmentView& SegmentView::operator=(SegmentView&&) noexcept = default;
SegmentView::~SegmentView() = default;

Result<SegmentView> SegmentView::Open(const std::string& path) {
  const auto source = SegmentSource::File(path, true);
  if (!source) return std::unexpected(source.error());
  auto shape = ReadShape(*source);
  if (!shape) return std::unexpected(shape.error());
  auto mapping = Mapping::Of(*source);
  if (!mapping) return std::unexpected(mapping.error());
  const auto bytes = mapping->bytes();
  return SegmentView(std::make_unique<Impl>(std::move(*shape), std::move(*mapping), bytes));
}

Result<SegmentView> SegmentView::Over(std::span<std::byte> bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(segment::Header) != 0) {
    return Fail("segment in memory: must begin at a multiple of 64");
  }
  auto shape = ReadShape(SegmentSource::Memory(bytes));
  if (!shape) return std::unexpected(shape.error());
  return SegmentView(std::make_unique<Impl>(std::move(*shape), Mapping(), bytes));
}

segment::Header& SegmentView::header() const {
  return *reinterpret_cast<segment::Header*>(impl_->bytes.data());
}

segment::ConsumerEntry& SegmentView::consumer() const {
  return *impl_->At<segment::ConsumerEntry>(impl_->shape.consumer, 0);
}

segment::StepEntry* SegmentView::steps() const {
  return impl_->At<segment::StepEntry>(impl_->shape.steps, 0);
}

std::uint32_t SegmentView::op_count() const {
  return impl_->shape.ops.count;
}

segment::OpEntry* SegmentView::op(std::uint32_t i) const {
  return impl_->At<segment::OpEntry>(impl_->shape.ops, i);
}

segment::ConnectorEntry* SegmentView::connector(std::uint32_t i) const {
  return impl_->At<segment::ConnectorEntry>(impl_->shape.connectors, i);
}

segment::KnobCell* SegmentView::knob(std::uint32_t i) const {
  return impl_->At<segment::KnobCell>(impl_->shape.knobs, i);
}

segment::WorkerSlot* SegmentView::worker(std::uint32_t slot) const {
  if (slot >= header().workers_used.load(std::memory_order_acquire)) return nullptr;
  return impl_->At<segment::WorkerSlot>(impl_->shape.workers, slot);
}

std::optional<std::uint32_t> SegmentView::AddWorker(std::uint32_t op) const {
  if (op >= op_count()) return std::nullopt;
  const auto slot = ClaimWorkerSlot(header().workers_used, impl_->shape.workers.count);
  if (slot) worker(*slot)->op.store(op, std::memory_order_release);
  return slot;
}

std::uint32_t SegmentView::decision_count() const {
  return impl_->shape.decisions.count;
}

segment::RingRecord* SegmentView::decision(std::uint32_t i) const {
  return impl_->At<segment::RingRecord>(impl_->shape.decisions, i);
}

}  // namespace sluice::probes

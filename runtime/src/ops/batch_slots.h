// BatchSlots: places for rows inside batch buffers, handed out in order, so that the op before a batch op
// writes its rows where the batch wants them and nothing is copied.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "memory_plan.h"
#include "sluice/runtime/buffer_pool.h"

namespace sluice::runtime {

// [rows | labels | indices] for `rows` rows of `row_bytes`; classes 0: int64 labels.
struct BatchPlan {
  std::uint32_t rows = 1;
  std::size_t row_bytes = 0;
  std::uint32_t classes = 0;

  [[nodiscard]] std::size_t LabelsAt() const { return (rows * row_bytes + 63) / 64 * 64; }
  [[nodiscard]] std::size_t IndicesAt() const {
    const std::size_t labels = classes > 0 ? sizeof(float) * classes : sizeof(std::int64_t);
    return (LabelsAt() + rows * labels + 63) / 64 * 64;
  }
  [[nodiscard]] std::size_t Size() const { return IndicesAt() + rows * sizeof(std::uint64_t); }
  [[nodiscard]] BatchLayout Layout(std::uint32_t filled) const {
    return {filled, classes, row_bytes, LabelsAt(), IndicesAt()};
  }
};

// Under the claim lock of the op that leases.
class BatchSlots {
 public:
  BatchSlots(MemoryPlan& memory, std::size_t op, BatchPlan plan) : memory_(memory), op_(op), plan_(plan) {
    memory_.Need(op, BufferPool::Cost(plan.Size()));
  }
  struct Place {
    BufferRef buffer;
    std::span<std::byte> bytes;
  };
  // The next row's place; without a buffer: no memory for another batch now.
  [[nodiscard]] Place Lease() {
    if (!buffer_ || used_ == plan_.rows) {
      BufferRef fresh = memory_.Acquire(op_, plan_.Size());
      if (!fresh) return {};
      buffer_ = std::move(fresh);
      used_ = 0;
      memory_.Hold(op_, BufferPool::Cost(plan_.Size()));
    }
    std::byte* at = buffer_->data() + used_++ * plan_.row_bytes;
    Place place{buffer_, {at, plan_.row_bytes}};
    if (used_ == plan_.rows) EndEpoch();
    return place;
  }
  // The next row starts a batch of its own.
  void EndEpoch() {
    buffer_.reset();
    memory_.Hold(op_, {});
  }
  [[nodiscard]] std::size_t BatchBytes() const { return plan_.Size(); }

 private:
  MemoryPlan& memory_;
  const std::size_t op_;
  const BatchPlan plan_;
  BufferRef buffer_;
  std::size_t used_ = 0;
};

}  // namespace sluice::runtime

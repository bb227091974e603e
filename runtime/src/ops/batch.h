// BatchLogic: collates runs of rows; of zipped rows column by column, so that a batch of zipped rows is what
// a zip of batches would be. Rows that already lie in their place of a batch buffer (BatchSlots) are not
// copied. Failed rows close up (skip) or are filled from a neighbour of the same batch (replace), in order,
// so the batches are the same at any worker count.
#pragma once
#include <vector>

#include "memory_plan.h"
#include "op_logic.h"
#include "ops/batch_slots.h"

namespace sluice::runtime {

class BatchLogic : public OpLogic {
 public:
  // `in_place`: the op before leases its rows' places from BatchSlots of the same size.
  BatchLogic(std::size_t op, std::uint32_t size, bool drop_remainder, bool in_place, MemoryPlan& memory)
      : op_(op),
        size_(size),
        drop_remainder_(drop_remainder),
        in_place_(in_place),
        memory_(memory),
        keeping_(memory, op) {}
  Admission Admit(Item& item, Emitter& out) override;
  void Finish(Emitter& out) override;
  [[nodiscard]] std::size_t InputsFor(std::size_t units) const override;
  void Recycle(std::vector<Item>&& rows) override;
  void Process(Unit& unit, WorkerContext& context) override;

 private:
  [[nodiscard]] Admission AdmitRow(Item& row, Emitter& out);
  [[nodiscard]] bool Start(Item& row);
  void StartInPlace(const Item& row);
  // False: no memory for one of its buffers now; those it has are kept.
  [[nodiscard]] bool AcquireFor(const Item& row);
  [[nodiscard]] bool Fits(Item& row, std::int64_t rows);
  [[nodiscard]] BatchPlan PlanOf(const Item& row) const { return {size_, row.data.Size(), row.one_hot}; }
  // Into the buffer of `batch`.
  [[nodiscard]] Result<void> Collate(std::span<const Item> rows, std::size_t column, Item& batch) const;
  void Append(Item row);
  void Flush(Emitter& out);

  const std::size_t op_;
  const std::uint32_t size_;
  const bool drop_remainder_;
  const bool in_place_;
  MemoryPlan& memory_;
  Keeping keeping_;
  std::vector<Item> rows_;            // of the batch in the making
  BufferRef target_;                  // its buffer
  BatchPlan plan_;                    // of target_
  std::vector<Item> others_;          // the batches of the other columns in the making, with their buffers
  std::uint32_t leading_failed_ = 0;  // replaced rows before the batch's first good one
  std::vector<std::vector<Item>> spare_;  // empty vectors that have had their memory
};

}  // namespace sluice::runtime

// SourceLogic: which rows in which order, epoch after epoch. Rows are chosen under the claim lock and read
// by the workers.
#pragma once
#include <atomic>
#include <memory>
#include <optional>

#include "memory_plan.h"
#include "op_logic.h"
#include "ops/dataset.h"
#include "sluice/formats/permutation.h"
#include "sluice/probes/segment_layout.h"

namespace sluice::runtime {

struct SourcePlan {
  std::size_t op = 0;
  std::uint64_t seed = 0;
  std::uint64_t passes = 1;  // over the data; 0: endless
  bool shuffle = false;
  std::uint32_t num_shards = 1;
  std::uint32_t shard_id = 0;
  std::optional<std::uint64_t> take{};  // rows per pass at most
  std::uint64_t first_row = 0;          // the number of the data set's first row (Item::index)
};

class SourceLogic : public OpLogic {
 public:
  // `epoch` gets the number of passes that have begun; null: nobody asks.
  SourceLogic(SourcePlan plan, std::unique_ptr<Dataset> dataset, MemoryPlan& memory,
              probes::segment::Counter* epoch);
  Admission Admit(Item&, Emitter&) override { return Admission::kTaken; }
  Supply Generate(Emitter& out) override;
  void Process(Unit& unit, WorkerContext& context) override;

  // Any thread. Where row number `row` is kept, numbered as its items are; of no row of the data set,
  // nowhere.
  [[nodiscard]] RowOrigin Origin(std::uint64_t row) const;
  // The number behind that of the last row.
  [[nodiscard]] std::uint64_t EndOfRows() const { return plan_.first_row + dataset_->size(); }
  // Any thread: given out so far, over all passes.
  [[nodiscard]] std::uint64_t rows_read() const { return rows_read_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] std::uint64_t RowsPerPass() const;
  [[nodiscard]] bool EmitRow(Emitter& out);
  void EndPass(Emitter& out);

  const SourcePlan plan_;
  const std::unique_ptr<Dataset> dataset_;
  MemoryPlan& memory_;
  probes::segment::Counter* const epoch_;
  const bool owns_rows_;  // rows need no pooled memory
  const std::uint64_t rows_per_pass_;
  formats::Permutation permutation_;
  std::uint64_t pass_ = 0;
  std::uint64_t position_ = 0;  // within the pass
  std::atomic<std::uint64_t> rows_read_{0};
};

}  // namespace sluice::runtime

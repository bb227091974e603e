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
  std::uint64_t seed = 0;
  std::uint64_t passes = 1;  // over the data; 0: endless
  bool shuffle = false;
  std::uint32_t num_shards = 1;
  std::uint32_t shard_id = 0;
  std::optional<std::uint64_t> take{};  // rows per pass at most
};

class SourceLogic : public OpLogic {
 public:
  SourceLogic(SourcePlan plan, std::unique_ptr<Dataset> dataset, MemoryPlan& memory,
              probes::segment::Counter& epoch);
  Admission Admit(Item&, Emitter&) override { return Admission::kTaken; }
  Supply Generate(Emitter& out) override;
  void Process(Unit& unit, WorkerContext& context) override;

  // Any thread. Where a row is kept; of no row of the data set, nowhere.
  [[nodiscard]] RowOrigin Origin(std::uint64_t row) const;
  // Any thread: given out so far, over all passes.
  [[nodiscard]] std::uint64_t rows_read() const { return rows_read_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] std::uint64_t RowsPerPass() const;
  [[nodiscard]] bool EmitRow(Emitter& out);
  void EndPass(Emitter& out);

  const SourcePlan plan_;
  const std::unique_ptr<Dataset> dataset_;
  MemoryPlan& memory_;
  probes::segment::Counter& epoch_;
  const bool owns_rows_;  // rows need no pooled memory
  const std::uint64_t rows_per_pass_;
  formats::Permutation permutation_;
  std::uint64_t pass_ = 0;
  std::uint64_t position_ = 0;  // within the pass
  std::atomic<std::uint64_t> rows_read_{0};
};

}  // namespace sluice::runtime

#include "ops/source.h"

#include <algorithm>

namespace sluice::runtime {

SourceLogic::SourceLogic(SourcePlan plan, std::unique_ptr<Dataset> dataset, MemoryPlan& memory,
                         probes::segment::Counter* epoch)
    : plan_(plan),
      dataset_(std::move(dataset)),
      memory_(memory),
      epoch_(epoch),
      owns_rows_(dataset_->LargestRow() == 0),
      rows_per_pass_(RowsPerPass()),
      permutation_(dataset_->size(), plan.seed, 0) {
  if (!owns_rows_) memory_.Need(plan_.op, BufferPool::Cost(dataset_->LargestRow()));
}

// Shards differ by one row at most.
std::uint64_t SourceLogic::RowsPerPass() const {
  const std::uint64_t all = dataset_->size();
  const std::uint64_t mine = all / plan_.num_shards + (plan_.shard_id < all % plan_.num_shards ? 1 : 0);
  return std::min(mine, plan_.take.value_or(mine));
}

OpLogic::Supply SourceLogic::Generate(Emitter& out) {
  Supply supply = Supply::kMore;
  while (supply == Supply::kMore && out.Room() > 0) {
    if (plan_.passes > 0 && pass_ == plan_.passes) {
      supply = Supply::kEnd;
    } else if (position_ == rows_per_pass_) {
      EndPass(out);
    } else if (!EmitRow(out)) {
      supply = Supply::kNoMemory;
    }
  }
  rows_read_.store(pass_ * rows_per_pass_ + position_, std::memory_order_relaxed);
  return supply;
}

RowOrigin SourceLogic::Origin(std::uint64_t row) const {
  const bool ours = row >= plan_.first_row && row < EndOfRows();
  return ours ? dataset_->Origin(row - plan_.first_row) : RowOrigin{};
}

bool SourceLogic::EmitRow(Emitter& out) {
  const std::uint64_t at = plan_.shard_id + position_ * plan_.num_shards;
  const std::uint64_t index = plan_.shuffle ? permutation_.At(at) : at;
  const std::size_t bytes = owns_rows_ ? 0 : dataset_->RowBytes(index);
  BufferRef target;
  if (bytes > 0) {
    target = memory_.Acquire(plan_.op, bytes);
    if (!target) return false;
  }
  Unit& unit = out.Add();
  unit.item = {};
  unit.item.index = plan_.first_row + index;
  unit.item.epoch = pass_;
  if (bytes > 0) {
    unit.place = {target->data(), bytes};
    unit.target = std::move(target);
  }
  ++position_;
  return true;
}

void SourceLogic::EndPass(Emitter& out) {
  Item mark;
  mark.kind = ItemKind::kEpochEnd;
  mark.epoch = pass_;
  out.Emit(std::move(mark));
  position_ = 0;
  ++pass_;
  permutation_ = formats::Permutation(dataset_->size(), plan_.seed, pass_);
  if (epoch_ != nullptr) epoch_->store(pass_, std::memory_order_relaxed);
}

void SourceLogic::Process(Unit& unit, WorkerContext&) {
  const auto loaded = dataset_->Load(unit.item.index - plan_.first_row, unit.item, unit.place);
  if (!loaded) {
    unit.item.EnsureExtras().error = loaded.error();
  } else {
    unit.item.buffer = std::move(unit.target);
  }
}

}  // namespace sluice::runtime

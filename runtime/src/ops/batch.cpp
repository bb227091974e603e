#include "ops/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sluice::runtime {
namespace {

std::string ShapeText(const image::Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.rank; ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", shape.dims[i]);
  return text + "]";
}

// [rows, shape...]; a row of rank 4 is taken as flat.
image::Shape Stacked(const image::Shape& row, std::uint32_t rows) {
  if (row.rank == 4) return {{rows, static_cast<std::uint32_t>(row.Elements())}, 2};
  image::Shape batch{{rows, row.dims[0], row.dims[1], row.dims[2]}, 0};
  batch.rank = static_cast<std::uint8_t>(row.rank + 1);
  return batch;
}

bool Differ(const Item& a, const Item& b) {
  return a.data.shape != b.data.shape || a.data.dtype != b.data.dtype;
}

void WriteLabel(const Item& row, const BatchPlan& plan, std::size_t i, std::byte* labels) {
  if (plan.classes == 0) {
    reinterpret_cast<std::int64_t*>(labels)[i] = row.label;
    return;
  }
  float* vector = reinterpret_cast<float*>(labels) + i * plan.classes;
  std::fill_n(vector, plan.classes, 0.0F);
  vector[row.label] = 1.0F;
}

}  // namespace

std::size_t BatchLogic::InputsFor(std::size_t units) const {
  return units * size_ - rows_.size();
}

void BatchLogic::Recycle(std::vector<Item> rows) {
  if (rows.capacity() == 0) return;
  rows.clear();
  spare_.push_back(std::move(rows));
}

OpLogic::Admission BatchLogic::Admit(Item& item, Emitter& out) {
  switch (item.kind) {
    case ItemKind::kSkipped:
      return Admission::kTaken;
    case ItemKind::kReplaced:
      if (!rows_.empty()) {
        Append(rows_.back().Clone());
      } else if (++leading_failed_ == size_) {
        leading_failed_ = 0;  // not one good row to fill a whole batch with
      }
      break;
    case ItemKind::kRow:
      return AdmitRow(item, out);
    case ItemKind::kEpochEnd:
      Finish(out);
      leading_failed_ = 0;
      [[fallthrough]];
    default:
      out.Emit(std::move(item));
      return Admission::kTaken;
  }
  if (rows_.size() == size_) Flush(out);
  return Admission::kTaken;
}

OpLogic::Admission BatchLogic::AdmitRow(Item& row, Emitter& out) {
  if (rows_.empty() && !Start(row)) {
    if (row.error == nullptr) return Admission::kNoMemory;
    out.Emit(std::move(row));
    return Admission::kTaken;
  }
  for (; leading_failed_ > 0; --leading_failed_) Append(row.Clone());
  // Of rows that differ no batch comes; it need not be waited for.
  const bool differs = !rows_.empty() && Differ(rows_.front(), row);
  Append(std::move(row));
  if (differs || rows_.size() == size_) Flush(out);
  return Admission::kTaken;
}

void BatchLogic::Finish(Emitter& out) {
  if (!drop_remainder_) Flush(out);
  rows_.clear();
  target_.reset();
  memory_.Hold(op_, {});
}

// False: no memory now or, when the row has an error then, never.
bool BatchLogic::Start(Item& row) {
  plan_ = {size_, row.data.Size(), row.one_hot};
  if (in_place_) {
    target_ = row.buffer;
    // Where rows before it were left out, the row may lie further up than it has places before it to fill.
    const auto place = static_cast<std::size_t>(row.data.data - target_->data()) / plan_.row_bytes;
    leading_failed_ = std::min(leading_failed_, static_cast<std::uint32_t>(place));
    memory_.Hold(op_, BufferPool::Cost(plan_.Size()));
    return true;
  }
  row_cost_ = {row.buffer ? static_cast<std::int64_t>(row.buffer->size()) : 0};
  const Bytes all = BufferPool::Cost(plan_.Size()) + row_cost_ * size_;
  if (!memory_.Fits(op_, all)) {
    row.error = std::make_unique<Error>(memory_.TooLarge(op_, "a batch and its rows", all));
    return false;
  }
  target_ = memory_.Acquire(op_, plan_.Size());
  return static_cast<bool>(target_);
}

// A row whose place has shifted because others failed moves there now, in order, while nobody else can be
// writing to a place before it.
void BatchLogic::Append(Item row) {
  std::byte* place = target_->data() + rows_.size() * plan_.row_bytes;
  if (in_place_ && row.data.data != place) {
    std::memmove(place, row.data.data, plan_.row_bytes);
    row.data.data = place;
    row.buffer = target_;
  }
  rows_.push_back(std::move(row));
  if (in_place_) return;
  const auto rows = static_cast<std::int64_t>(rows_.size());
  memory_.Hold(op_, BufferPool::Cost(plan_.Size()) + row_cost_ * rows);
}

void BatchLogic::Flush(Emitter& out) {
  if (rows_.empty()) return;
  Unit& unit = out.Add();
  unit.item = {};
  unit.item.kind = ItemKind::kBatch;
  unit.item.epoch = rows_.front().epoch;
  unit.item.index = rows_.front().index;
  unit.target = std::move(target_);
  target_.reset();
  unit.place = {unit.target->data(), unit.target->size()};
  unit.rows = std::move(rows_);
  rows_.clear();
  if (!spare_.empty()) {
    rows_ = std::move(spare_.back());
    spare_.pop_back();
  }
  rows_.reserve(size_);
  memory_.Hold(op_, {});
}

void BatchLogic::Process(Unit& unit, WorkerContext&) {
  const Item& first = unit.rows.front();
  const BatchPlan plan{size_, first.data.Size(), first.one_hot};
  std::byte* const base = unit.place.data();
  for (std::size_t i = 0; i < unit.rows.size(); ++i) {
    const Item& row = unit.rows[i];
    if (Differ(first, row)) {
      unit.item.error = std::make_unique<Error>(
          Error{fmt::format("rows of one batch differ: {} and {}; add a crop or a resize before the batch",
                            ShapeText(first.data.shape), ShapeText(row.data.shape))});
      return;
    }
    std::byte* place = base + i * plan.row_bytes;
    if (plan.row_bytes > 0 && row.data.data != place) std::memcpy(place, row.data.data, plan.row_bytes);
    WriteLabel(row, plan, i, base + plan.LabelsAt());
    reinterpret_cast<std::uint64_t*>(base + plan.IndicesAt())[i] = row.index;
  }
  const auto rows = static_cast<std::uint32_t>(unit.rows.size());
  Item& item = unit.item;
  if (plan.row_bytes > 0) item.data = {base, first.data.dtype, Stacked(first.data.shape, rows)};
  item.buffer = std::move(unit.target);
  item.buffer->batch = plan.Layout(rows);
}

}  // namespace sluice::runtime

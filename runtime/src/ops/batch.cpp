#include "ops/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sluice/base/check.h"

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

Bytes CostOf(const BatchPlan& plan) {
  return BufferPool::Cost(plan.Size());
}

bool Differ(const Item& a, const Item& b) {
  return a.data.shape != b.data.shape || a.data.dtype != b.data.dtype || a.Columns() != b.Columns();
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

void BatchLogic::Recycle(std::vector<Item>&& rows) {
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
  const bool possible = rows_.empty() ? Start(row) : in_place_ || Fits(row, 1);
  if (!possible) {
    if (row.error() == nullptr) return Admission::kNoMemory;
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
  others_.clear();
  keeping_.Clear();
  keeping_.Tell();
}

// False: no memory now or, when the row has an error then, never.
bool BatchLogic::Start(Item& row) {
  if (in_place_) {
    StartInPlace(row);
    return true;
  }
  if (!target_) {
    for (std::size_t i = 0; i < row.Columns(); ++i) keeping_.Add(CostOf(PlanOf(row.Column(i))));
    const bool fits = Fits(row, size_);
    keeping_.Clear();
    if (!fits) return false;
  }
  return AcquireFor(row);
}

void BatchLogic::StartInPlace(const Item& row) {
  plan_ = PlanOf(row);
  target_ = row.buffer;
  SLUICE_CHECK(plan_.row_bytes > 0);
  // Where rows before it were left out, the row may lie further up than it has places before it to fill.
  const auto place = static_cast<std::size_t>(row.data.data - target_->data()) / plan_.row_bytes;
  leading_failed_ = std::min(leading_failed_, static_cast<std::uint32_t>(place));
  keeping_.Add(CostOf(plan_));
  keeping_.Tell();
}

bool BatchLogic::AcquireFor(const Item& row) {
  for (std::size_t i = target_ ? 1 + others_.size() : 0; i < row.Columns(); ++i) {
    const BatchPlan plan = PlanOf(row.Column(i));
    BufferRef buffer = memory_.Acquire(op_, plan.Size());
    if (!buffer) return false;
    (i == 0 ? target_ : others_.emplace_back().buffer) = std::move(buffer);
    keeping_.Add(CostOf(plan));
    keeping_.Tell();
  }
  return true;
}

// False: so many rows like this one can never be kept beside those that are; the row says so.
bool BatchLogic::Fits(Item& row, std::int64_t rows) {
  const auto too_much = keeping_.WhereTooMuch(row, rows);
  if (!too_much) return true;
  row.EnsureExtras().error = memory_.TooLarge(op_, too_much->account, "a batch and its rows", too_much->held);
  return false;
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
  keeping_.Add(rows_.back());
  keeping_.Tell();
}

void BatchLogic::Flush(Emitter& out) {
  if (rows_.empty()) return;
  Unit& unit = out.Add();
  unit.item = {};
  if (!others_.empty()) unit.item.EnsureExtras().others = std::exchange(others_, {});
  unit.target = std::exchange(target_, {});
  unit.rows = std::move(rows_);
  rows_.clear();
  if (!spare_.empty()) {
    rows_ = std::move(spare_.back());
    spare_.pop_back();
  }
  rows_.reserve(size_);
  for (std::size_t i = 0; i < unit.item.Columns(); ++i) {
    Item& batch = i == 0 ? unit.item : unit.item.extras->others[i - 1];
    batch.kind = ItemKind::kBatch;
    batch.epoch = unit.rows.front().Column(i).epoch;
    batch.index = unit.rows.front().Column(i).index;
  }
  keeping_.Clear();
  keeping_.Tell();
}

void BatchLogic::Process(Unit& unit, WorkerContext&) {
  Item& item = unit.item;
  item.buffer = std::move(unit.target);
  for (std::size_t i = 0; i < item.Columns(); ++i) {
    const auto collated = Collate(unit.rows, i, i == 0 ? item : item.extras->others[i - 1]);
    if (collated) continue;
    item.EnsureExtras().error = collated.error();
    return;
  }
}

Result<void> BatchLogic::Collate(std::span<const Item> rows, std::size_t column, Item& batch) const {
  const Item& first = rows.front().Column(column);
  const BatchPlan plan = PlanOf(first);
  std::byte* const base = batch.buffer->data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Item& row = rows[i].Column(column);
    if (Differ(first, row)) {
      return Fail(fmt::format("rows of one batch differ: {} and {}; add a crop or a resize before the batch",
                              ShapeText(first.data.shape), ShapeText(row.data.shape)));
    }
    std::byte* place = base + i * plan.row_bytes;
    if (plan.row_bytes > 0 && row.data.data != place) std::memcpy(place, row.data.data, plan.row_bytes);
    WriteLabel(row, plan, i, base + plan.LabelsAt());
    reinterpret_cast<std::uint64_t*>(base + plan.IndicesAt())[i] = row.index;
  }
  const auto count = static_cast<std::uint32_t>(rows.size());
  if (plan.row_bytes > 0) batch.data = {base, first.data.dtype, Stacked(first.data.shape, count)};
  batch.buffer->batch = plan.Layout(count);
  return {};
}

}  // namespace sluice::runtime

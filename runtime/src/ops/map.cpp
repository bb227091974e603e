#include "ops/map.h"

#include <fmt/format.h>

#include "sluice/base/check.h"

namespace sluice::runtime {

MapLogic::MapLogic(MapPlan plan, std::optional<image::RowProgram> program, std::unique_ptr<BatchSlots> slots,
                   MemoryPlan& memory)
    : plan_(std::move(plan)), program_(std::move(program)), slots_(std::move(slots)), memory_(memory) {}

OpLogic::Admission MapLogic::Admit(Item& item, Emitter& out) {
  if (item.kind == ItemKind::kRow && program_.has_value()) return AdmitRow(item, out);
  if (item.kind == ItemKind::kReplaced && !LeavePlace()) return Admission::kNoMemory;
  if (item.kind == ItemKind::kEpochEnd && slots_ != nullptr) slots_->EndEpoch();
  out.Emit(std::move(item));
  return Admission::kTaken;
}

// The batch op will fill this row's place: no other row may be written there meanwhile.
bool MapLogic::LeavePlace() {
  return slots_ == nullptr || slots_->Lease().buffer;
}

// Takes memory for the result first, so that a row that has to wait is left untouched.
OpLogic::Admission MapLogic::AdmitRow(Item& item, Emitter& out) {
  Result<BatchSlots::Place> place = slots_ != nullptr ? slots_->Lease() : PlaceOfItsOwn(item);
  if (!place) {
    item.EnsureExtras().error = std::move(place.error());
    place.emplace();
  } else if (!place->buffer) {
    return Admission::kNoMemory;
  }
  Unit& unit = out.Add();
  unit.item = std::move(item);
  unit.target = std::move(place->buffer);
  unit.place = place->bytes;
  return Admission::kTaken;
}

Result<BatchSlots::Place> MapLogic::PlaceOfItsOwn(const Item& item) {
  SLUICE_CHECK(program_);
  const auto bytes = program_->OutputBytes(item.data);
  if (!bytes) return std::unexpected(bytes.error());
  if (const Bytes cost = BufferPool::Cost(*bytes); !memory_.Fits(plan_.op, cost)) {
    return std::unexpected(memory_.TooLarge(plan_.op, "a result", cost));
  }
  BatchSlots::Place place{memory_.Acquire(plan_.op, *bytes), {}};
  if (place.buffer) place.bytes = {place.buffer->data(), *bytes};
  return place;
}

void MapLogic::Process(Unit& unit, WorkerContext& context) {
  if (program_.has_value() && unit.item.kind == ItemKind::kRow) RunProgram(unit, context);
  if (unit.item.error() == nullptr && plan_.function) plan_.function(unit.item);
  if (plan_.one_hot == 0 || unit.item.kind != ItemKind::kRow) return;
  unit.item.one_hot = plan_.one_hot;
  if (unit.item.label < 0 || unit.item.label >= static_cast<std::int64_t>(plan_.one_hot)) {
    unit.item.EnsureExtras().error =
        Error{fmt::format("label {} does not fit one_hot = {}", unit.item.label, plan_.one_hot)};
  }
}

void MapLogic::RunProgram(Unit& unit, WorkerContext& context) const {
  SLUICE_CHECK(program_);
  Item& item = unit.item;
  const image::RowSeed seed{plan_.seed, item.epoch, item.index, plan_.op};
  const auto shape = program_->Run(item.data, seed, context.scratch, unit.place);
  if (!shape) {
    item.EnsureExtras().error = shape.error();
    return;
  }
  item.data = {unit.place.data(), program_->output().dtype.value_or(image::DType::kU8), *shape};
  item.buffer = std::move(unit.target);
}

}  // namespace sluice::runtime

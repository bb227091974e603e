// MapLogic: one row in, one row out: transforms or a function of the user's, and labels to one-hot.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "memory_plan.h"
#include "op_logic.h"
#include "ops/batch_slots.h"
#include "sluice/image/row_program.h"

namespace sluice::runtime {

struct MapPlan {
  std::size_t op = 0;
  std::uint64_t seed = 0;
  std::uint32_t one_hot = 0;
  std::function<void(Item&)> function;
};

class MapLogic : public OpLogic {
 public:
  // `program` nullopt: no transforms. `slots`: set where the next op is a batch and all rows have one shape.
  MapLogic(MapPlan plan, std::optional<image::RowProgram> program, std::unique_ptr<BatchSlots> slots,
           MemoryPlan& memory);
  Admission Admit(Item& item, Emitter& out) override;
  void Process(Unit& unit, WorkerContext& context) override;

 private:
  [[nodiscard]] Admission AdmitRow(Item& item, Emitter& out);
  // Without a buffer: no memory for it now.
  [[nodiscard]] Result<BatchSlots::Place> PlaceOfItsOwn(const Item& item);
  [[nodiscard]] bool LeavePlace();
  void RunProgram(Unit& unit, WorkerContext& context) const;

  const MapPlan plan_;
  const std::optional<image::RowProgram> program_;
  const std::unique_ptr<BatchSlots> slots_;
  MemoryPlan& memory_;
};

}  // namespace sluice::runtime

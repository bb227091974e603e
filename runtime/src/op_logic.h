// OpLogic: what an op does, apart from threads, connectors and counters (stage.h), which are the same for
// all ops.
//
// An op takes part in two steps. Admit runs under the op's claim lock, for one input item at a time, in
// order: it decides which units of work come of it. Process runs on any worker, without a lock, one unit
// at a time, many units at once: it turns the unit's item into the output. Because order is settled in
// Admit, the output does not depend on how many workers process.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "sluice/image/row_program.h"
#include "sluice/runtime/item.h"

namespace sluice::runtime {

// One output in the making. Units are reused: whoever adds one sets the item and, where it needs them, the
// rest.
struct Unit {
  Item item{};
  std::vector<Item> rows{};      // what a batch is made of, else empty
  BufferRef target{};            // memory for the output, where it needs some
  std::span<std::byte> place{};  // inside of `target`
};

// Units in waiting, in order. Emptied before more are admitted, so its memory is used again and again.
class UnitQueue {
 public:
  [[nodiscard]] bool empty() const { return taken_ == units_.size(); }
  [[nodiscard]] Unit& front() { return units_[taken_]; }
  [[nodiscard]] Unit& Add() { return units_.emplace_back(); }
  void PopFront() {
    if (++taken_ == units_.size()) units_.clear(), taken_ = 0;
  }
  // Moves `units` to the front.
  void PutBack(std::span<Unit> units) {
    units_.insert(units_.begin() + static_cast<std::ptrdiff_t>(taken_),
                  std::make_move_iterator(units.begin()), std::make_move_iterator(units.end()));
  }

 private:
  std::vector<Unit> units_;
  std::size_t taken_ = 0;
};

// Where Admit puts units. Keeps the order; what does not fit into this claim waits for the next.
class Emitter {
 public:
  // Fills now[filled] and on, up to now[limit - 1].
  Emitter(std::vector<Unit>& now, std::size_t& filled, std::size_t limit, UnitQueue& later)
      : now_(now), filled_(filled), limit_(limit), later_(later) {}
  [[nodiscard]] Unit& Add() { return Room() > 0 ? now_[filled_++] : later_.Add(); }
  void Emit(Item&& item) { Add().item = std::move(item); }
  [[nodiscard]] std::size_t Room() const { return later_.empty() && filled_ < limit_ ? limit_ - filled_ : 0; }

 private:
  std::vector<Unit>& now_;
  std::size_t& filled_;
  const std::size_t limit_;
  UnitQueue& later_;
};

// What a worker keeps from item to item.
struct WorkerContext {
  image::Scratch scratch;
  int active = 1;  // workers of this op that are inside it now, this one included
};

class OpLogic {
 public:
  enum class Admission : std::uint8_t { kTaken, kNoMemory };
  enum class Supply : std::uint8_t { kMore, kNoMemory, kEnd };

  virtual ~OpLogic() = default;

  // Of several inputs: which one Admit must get its next item from. Under the claim lock, as Admit.
  [[nodiscard]] virtual std::size_t Wants() const { return 0; }
  // Takes `item`, or leaves it untouched when there is no memory for what it needs now.
  [[nodiscard]] virtual Admission Admit(Item& item, Emitter& out) = 0;
  // Input has ended: emits what is still held.
  virtual void Finish(Emitter&) {}
  // Sources have this instead of Admit: emits up to out.Room() units.
  [[nodiscard]] virtual Supply Generate(Emitter&) { return Supply::kEnd; }
  // How many input items it takes to make `units` units, about.
  [[nodiscard]] virtual std::size_t InputsFor(std::size_t units) const { return units; }
  // Gets back the rows vectors of units that are through, for reuse. Under the claim lock.
  virtual void Recycle(std::vector<Item>&&) {}

  // Any worker. A failure becomes the item's error (Item::error); exceptions are caught by the caller.
  virtual void Process(Unit&, WorkerContext&) {}
};

}  // namespace sluice::runtime

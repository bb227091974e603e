// Serial ops on the stream of items: shuffle, repeat, take, skip. All their work is choosing, so it happens
// in Admit, in order.
#pragma once
#include <optional>
#include <vector>

#include "memory_plan.h"
#include "op_logic.h"
#include "sluice/base/rng.h"

namespace sluice::runtime {

// Keeps `size` items and lets a random one go for each that comes; draws depend on (seed, epoch) only.
class ShuffleLogic : public OpLogic {
 public:
  ShuffleLogic(std::size_t op, std::uint64_t seed, std::size_t size, MemoryPlan& memory)
      : op_(op), seed_(seed), size_(size), memory_(memory), keeping_(memory, op) {}
  Admission Admit(Item& item, Emitter& out) override;
  void Finish(Emitter& out) override;
  [[nodiscard]] std::size_t InputsFor(std::size_t units) const override;

 private:
  [[nodiscard]] std::size_t Draw();
  void EmitAt(std::size_t place, Emitter& out);

  const std::size_t op_;
  const std::uint64_t seed_;
  const std::size_t size_;
  MemoryPlan& memory_;
  Keeping keeping_;
  std::vector<Item> held_;
  std::optional<Rng> rng_;   // of the current epoch
  std::uint64_t epoch_ = 0;  // of rng_
};

// Makes `count` passes of the ops before it into one epoch, by swallowing the marks between them. (The
// source is told to make that many more passes.)
class RepeatLogic : public OpLogic {
 public:
  explicit RepeatLogic(std::uint32_t count) : count_(count) {}
  Admission Admit(Item& item, Emitter& out) override;

 private:
  const std::uint32_t count_;
  std::uint64_t marks_ = 0;
};

// Lets items [from, to) of every epoch pass. Rows left out as failed do not count.
class RangeOfEpochLogic : public OpLogic {
 public:
  RangeOfEpochLogic(std::uint64_t from, std::uint64_t to) : from_(from), to_(to) {}
  Admission Admit(Item& item, Emitter& out) override;

 private:
  const std::uint64_t from_;
  const std::uint64_t to_;
  std::uint64_t seen_ = 0;
};

}  // namespace sluice::runtime

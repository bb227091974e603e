// SyntheticLogic: burns CPU time, waits, and allocates, for experiments.
#pragma once
#include "memory_plan.h"
#include "op_logic.h"
#include "sluice/base/rng.h"
#include "sluice/runtime/description.h"

namespace sluice::runtime {

// Uses `t` of the calling thread's CPU time.
void BurnCpu(Nanos t);
// Off the CPU until `t` has passed.
void WaitFor(Nanos t);

class SyntheticLogic : public OpLogic {
 public:
  SyntheticLogic(std::size_t op, std::uint64_t seed, SyntheticSpec spec, MemoryPlan& memory);
  Admission Admit(Item& item, Emitter& out) override;
  void Process(Unit& unit, WorkerContext& context) override;

 private:
  const std::size_t op_;
  const std::uint64_t seed_;
  const SyntheticSpec spec_;
  MemoryPlan& memory_;
};

}  // namespace sluice::runtime

// EmulatedAccelerator: a consumer without a device: each step takes the time the scenario says, off the CPU,
// as a training step on an accelerator does for the host.
//
// One thread (the consumer's).
#pragma once
#include <cstdint>

#include "sluice/base/rng.h"
#include "sluice/runtime/scenario.h"

namespace sluice::runtime {

class EmulatedAccelerator {
 public:
  EmulatedAccelerator(ConsumerSpec spec, std::uint64_t seed) : spec_(spec), rng_(seed, 0, 0, kSalt) {}
  // Returns when the step is over; at once where the step time is zero.
  void Step();

 private:
  static constexpr std::uint64_t kSalt = 0x73746570;  // keeps these draws apart from the rows' own
  const ConsumerSpec spec_;
  Rng rng_;
};

}  // namespace sluice::runtime

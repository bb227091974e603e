#include "sluice/runtime/accelerator.h"

#include "ops/synthetic.h"

namespace sluice::runtime {

void EmulatedAccelerator::Step() {
  if (spec_.step.mean.count() > 0) WaitFor(Draw(spec_.step, rng_));
}

}  // namespace sluice::runtime

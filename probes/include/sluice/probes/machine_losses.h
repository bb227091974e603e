// MachineLosses: what of a budget the machine does not give although every limit allows it: CPU time that the
// hypervisor gives to others, and memory while tasks wait for pages that were just given up (pressure).
//
// One thread. Measured between looks, so that the first one narrows nothing.
#pragma once
#include <deque>
#include <optional>

#include "sluice/base/units.h"
#include "sluice/probes/machine_budget.h"

namespace sluice::probes {

class MachineLosses {
 public:
  // `budget` as it was read at `now`: cores become what is left of them, each loss is a bound of its own with
  // where it is written. Under pressure no memory is left. REQUIRES `now` does not fall.
  void Narrow(MonoTime now, MachineBudget& budget);

 private:
  struct Seen {
    MonoTime at;
    std::optional<Nanos> busy, stolen, memory_waits;
  };
  void NarrowCores(MachineBudget& budget);
  void NarrowMemory(MachineBudget& budget) const;

  std::deque<Seen> seen_;  // of the last two seconds, the oldest first
  double stolen_ = 0;      // share of the CPU time that is told; changes by steps only
};

// The most that buffers may hold: `wanted`, or less where less than that is `left` beside what they `held`.
// `before`: the answer of a moment ago, which stays where the new one is about the same.
[[nodiscard]] Bytes MemoryThatFits(Bytes wanted, Bytes before, Bytes held, Bytes left);

}  // namespace sluice::probes

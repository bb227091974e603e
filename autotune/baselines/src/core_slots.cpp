#include "core_slots.h"

#include <algorithm>

#include "pipeline.h"

namespace sluice::baselines {

int SlotsTaken(const Snapshot& seen) {
  int taken = 0;
  for (const std::size_t op : FreeOps(seen)) taken += Workers(seen, op) - 1;
  return taken;
}

int SlotsFree(const Snapshot& seen) {
  return std::max(0, WholeCores(seen) - SlotsTaken(seen));
}

}  // namespace sluice::baselines

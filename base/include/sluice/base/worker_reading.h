// WorkerReading: what one worker of an op has done since the run's start, as a value.
#pragma once
#include <cstdint>

#include "sluice/base/graph.h"
#include "sluice/base/units.h"

namespace sluice {

// Of a place rather than a thread: a worker that ends leaves its place to the one that comes next, and what
// is counted goes on. So nothing falls while workers come and go, and those of an op add up to its OpReading.
struct WorkerReading {
  OpId op{0};
  int number = 0;  // among those of its op, from 0, as in the name of its thread: decode/0
  std::uint64_t items = 0;
  Nanos busy{0};
  Nanos starved{0};    // waiting for input
  Nanos backed_up{0};  // waiting for room
  friend bool operator==(const WorkerReading&, const WorkerReading&) = default;
};

}  // namespace sluice

// Where a process may run and where it ran, as values.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/cpu_set.h"
#include "sluice/base/units.h"

namespace sluice {

struct ThreadPlace {
  int tid = 0;
  std::string name;
  CpuSet may_use;     // its affinity mask
  int last_cpu = -1;  // -1: not told
  Nanos on_cpu{0};    // since it started
};

struct ProcessPlace {
  int pid = 0;
  int parent = 0;
  std::string name;
  std::vector<ThreadPlace> threads;  // the first is the process's own
  CpuSet allowed;                    // what its control group leaves it; empty: not told
  // Variables of its environment that pin threads, "OMP_PROC_BIND=true"; empty: none, or not readable.
  std::vector<std::string> pinned_by;
};

// Threads that are held where they should not be.
struct PlaceFinding {
  enum class Kind : std::uint8_t { kNarrowStart, kPinning, kCrowded, kOneNode, kDoubledCores };
  Kind kind = Kind::kCrowded;
  std::string sentence;
  std::string remedy;
  friend bool operator==(const PlaceFinding&, const PlaceFinding&) = default;
};

}  // namespace sluice

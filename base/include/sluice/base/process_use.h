// What processes, cores and GPUs were used for, as values: measured by wrap, told by exporters.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/units.h"

namespace sluice {

// The first thread of one process: where its time went.
struct MainThreadUse {
  int pid = 0;
  std::string name;
  Nanos lived{0};                // as far as it was watched
  Nanos on_cpu{0}, runnable{0};  // of that; the rest is off-CPU
};

// A Python process whose loaders are out of our sight.
struct StrayPython {
  int pid = 0;
  std::string name;
  std::optional<int> user{};  // it runs as this one, not as we do; nullopt: it was given another PYTHONPATH
};

// Of the CPUs that a process tree may run on, meanwhile.
struct CoresUse {
  double own = 0;     // cores, as are the next two: by the tree
  double others = 0;  // by all other work
  double idle = 0;
};

// One GPU, over all samples so far.
struct GpuUse {
  std::string name;
  Fraction mean_busy;  // of the time, a kernel ran
  Fraction peak_busy;
  Bytes peak_memory{0};  // of all processes
  Bytes memory{0};       // there is
};

}  // namespace sluice

// HostArbiter: shares the cores and the bytes of one host out among the pipelines that are tuned at the same
// time: loaders of one process, ranks of one training run.
//
// Each may use what the others leave, so one that needs little gives the rest to those that need more. Of
// cores each active one may have an even share in any case: the first comer cannot starve the next. Of bytes
// nobody is promised anything that another one holds already. Pure functions.
#pragma once
#include <vector>

#include "sluice/base/units.h"

namespace sluice::autotune {

// What one pipeline uses at present.
struct Claim {
  int process = 0;           // the one that consumes its items; several pipelines may share it
  bool active = false;       // something flows, or is waited for
  double worker_cores = 0;   // kept busy by its workers
  double process_cores = 0;  // by the rest of that process
  Bytes held{0};             // by its workers and the items on their way
};

// Cores per claim, its process's own part included, as a pipeline's budget means it. At most `cores`.
[[nodiscard]] std::vector<double> ShareCores(double cores, const std::vector<Claim>& claims);

// Bytes per claim for workers and items on their way. `used`: by the whole run, claims included; `limit`:
// what it may use. At least one byte: 0 would mean that the limit is unknown.
[[nodiscard]] std::vector<Bytes> ShareMemory(Bytes limit, Bytes used, const std::vector<Claim>& claims);

}  // namespace sluice::autotune

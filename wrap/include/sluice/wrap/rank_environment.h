// What launchers say in the environment about this process's rank: torchrun, Open MPI, Slurm, PMI. Immutable
// functions.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/wrap/environment.h"

namespace sluice::wrap {

struct RankStatement {
  std::string launcher;
  std::string said;  // "rank 1 of 2, local rank 0 of 1"
};

// One per launcher that says anything. Refuses nonsense with the variable and the reason: what is no number,
// a rank beyond the size.
[[nodiscard]] std::vector<Result<RankStatement>> ReadRankEnvironment(const Lookup& variable);

}  // namespace sluice::wrap

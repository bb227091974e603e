// Which rank of a distributed run this process is, as its launcher says in the environment: torchrun's
// variables first, then Open MPI's, then Slurm's. Immutable functions.
#pragma once
#include <cstdint>
#include <functional>

namespace sluice::probes {

// -1: not said.
struct RankIdentity {
  std::int32_t rank = -1;
  std::int32_t world_size = -1;
  std::int32_t local_rank = -1;
  std::int32_t local_world_size = -1;
};
// `variable` gives the value of an environment variable, or nullptr.
[[nodiscard]] RankIdentity FindRankIdentity(const std::function<const char*(const char*)>& variable);

}  // namespace sluice::probes

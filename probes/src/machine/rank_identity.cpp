#include "machine/rank_identity.h"

#include <initializer_list>
#include <limits>

#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

using Lookup = std::function<const char*(const char*)>;

std::int32_t FirstNumber(const Lookup& variable, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = variable(name);
    const auto number = text != nullptr ? ParseInteger(text) : std::nullopt;
    if (number && *number >= 0 && *number <= std::numeric_limits<std::int32_t>::max()) {
      return static_cast<std::int32_t>(*number);
    }
  }
  return -1;
}

}  // namespace

RankIdentity FindRankIdentity(const Lookup& variable) {
  RankIdentity found;
  found.rank = FirstNumber(variable, {"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"});
  found.world_size = FirstNumber(variable, {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"});
  found.local_rank = FirstNumber(variable, {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"});
  found.local_world_size =
      FirstNumber(variable, {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"});
  return found;
}

}  // namespace sluice::probes

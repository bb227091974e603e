#include "sluice/wrap/rank_environment.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>

#include "sluice/probes/proc_files.h"

namespace sluice::wrap {
namespace {

struct Launcher {
  const char* name;
  const char *rank, *size, *local_rank, *local_size;
};

constexpr std::array<Launcher, 4> kLaunchers{{
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"},
    {"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
}};

using Number = std::optional<std::int64_t>;

Result<Number> Read(const Lookup& variable, const char* name, std::int64_t least) {
  const char* text = variable(name);
  if (text == nullptr) return Number();
  const Number number = probes::ParseInteger(text);
  if (!number) return Fail(fmt::format("{}={} is not a whole number", name, text));
  if (*number < least) return Fail(fmt::format("{}={} is less than {}", name, text, least));
  return number;
}

// "rank 1 of 2"; empty where nothing is said.
Result<std::string> ReadPair(const Lookup& variable, const char* what, const char* rank_name,
                             const char* size_name) {
  const auto rank = Read(variable, rank_name, 0);
  if (!rank) return std::unexpected(rank.error());
  const auto size = Read(variable, size_name, 1);
  if (!size) return std::unexpected(size.error());
  const Number number = *rank, all = *size;
  if (!number) return std::string();
  if (!all) return fmt::format("{} {}", what, *number);
  if (*number >= *all) {
    return Fail(fmt::format("{}={} is not below {}={}", rank_name, *number, size_name, *all));
  }
  return fmt::format("{} {} of {}", what, *number, *all);
}

}  // namespace

std::vector<Result<RankStatement>> ReadRankEnvironment(const Lookup& variable) {
  std::vector<Result<RankStatement>> statements;
  for (const Launcher& launcher : kLaunchers) {
    const auto global = ReadPair(variable, "rank", launcher.rank, launcher.size);
    const auto local = ReadPair(variable, "local rank", launcher.local_rank, launcher.local_size);
    if (!global || !local) {
      statements.push_back(std::unexpected((global ? local : global).error()));
    } else if (!global->empty() || !local->empty()) {
      const char* comma = global->empty() || local->empty() ? "" : ", ";
      statements.push_back(RankStatement{launcher.name, *global + comma + *local});
    }
  }
  return statements;
}

}  // namespace sluice::wrap

#include "machine/rank_identity.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace sluice::probes {
namespace {

RankIdentity Find(const std::map<std::string, std::string>& environment) {
  return FindRankIdentity([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(RankIdentity, ComesFromTorchrunOpenMpiOrSlurm) {
  const auto torchrun =
      Find({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}});
  EXPECT_EQ(torchrun.rank, 5);
  EXPECT_EQ(torchrun.world_size, 8);
  EXPECT_EQ(torchrun.local_rank, 1);
  EXPECT_EQ(torchrun.local_world_size, 4);
  EXPECT_EQ(Find({{"OMPI_COMM_WORLD_RANK", "3"}}).rank, 3);
  EXPECT_EQ(Find({{"SLURM_PROCID", "2"}, {"OMPI_COMM_WORLD_RANK", "x"}}).rank, 2);
}

TEST(RankIdentity, IsMissingAndNotZeroWhereNothingIsSaid) {
  const auto alone = Find({{"RANK", "-3"}, {"WORLD_SIZE", "99999999999"}});
  EXPECT_EQ(alone.rank, -1);
  EXPECT_EQ(alone.world_size, -1);
  EXPECT_EQ(alone.local_rank, -1);
}

}  // namespace
}  // namespace sluice::probes
